package watchui

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui/live"
)

var (
	ada = payments.Account{
		ID: "acc_1", Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com",
		Country: "GB", ExternalID: "customer-1", CreatedAt: time.Unix(1000, 0),
	}
	due = time.Unix(5000, 0)
)

func checkOf(status payments.KYCStatus, deadlines ...time.Time) payments.KYC {
	k := payments.KYC{Status: status, Attempt: 2}
	for _, at := range deadlines {
		k.Requirements = append(k.Requirements, payments.KYCRequirement{Name: "identity_document", Status: "open", Deadline: &at})
	}
	return k
}

// What one source knows of an account is not lost when another one tells more, but a deadline ends with its status.
func TestAccountRecords(t *testing.T) {
	t.Parallel()
	known := follow.Newest(recordOfKYC(checkOf(payments.KYCStatusIncomplete, due.Add(time.Hour), due)), RecordOfAccount(ada))
	require.Equal(t, due, accountDeadline("incomplete", known), "the first of them")
	require.False(t, lacksAccount("incomplete", known))
	event := Accounts(nil).Subjects.Of(payments.Event{SubjectID: "acc_1", To: new("incomplete"), Data: payments.EventData{ExternalID: "customer-1"}})
	known = follow.Newest(event.Record, known)
	require.Equal(t, due, accountDeadline("incomplete", known), "the event is about the status that was read")

	event = Accounts(nil).Subjects.Of(payments.Event{SubjectID: "acc_1", To: new("pending"), Data: payments.EventData{Attempt: 3}})
	known = follow.Newest(event.Record, known)
	require.Zero(t, accountDeadline("pending", known))
	require.Zero(t, accountDeadline("incomplete", known))
	require.False(t, lacksAccount("pending", known))
	record := known.(*AccountRecord)
	require.Equal(t, "Ada Lovelace", record.Name)
	require.Equal(t, 3, record.Attempt)
	require.True(t, lacksAccount("resubmission_required", known), "it has a deadline that events do not tell")
	require.True(t, lacksAccount("pending", nil))
	require.True(t, lacksAccount("pending", event.Record))
	require.Equal(t, len("Ada Lovelace"+"ada@example.com"+"GB"+"customer-1"+"individual"+"pending"), known.Size())
}

// accountReader counts its requests.
type accountReader struct {
	payments.Service
	accounts, checks int
	err              error
}

func (r *accountReader) GetAccount(context.Context, string, payments.ReadOptions) (payments.ReadResult[payments.Account], error) {
	r.accounts++
	return payments.ReadResult[payments.Account]{Value: ada}, r.err
}

func (r *accountReader) GetKYCStatus(context.Context, string, payments.ReadOptions) (payments.ReadResult[payments.KYC], error) {
	r.checks++
	return payments.ReadResult[payments.KYC]{Value: checkOf(payments.KYCStatusIncomplete, due)}, r.err
}

// Nothing is read that is known already.
func TestReadAccount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		known            follow.Record
		accounts, checks int
	}{
		{nil, 1, 1}, // the account tells its status, and the check why it has it
		{&AccountRecord{Status: payments.KYCStatusPending}, 1, 0},
		{&AccountRecord{Status: payments.KYCStatusIncomplete}, 1, 1},
		{&AccountRecord{Email: "a@b.example", Status: payments.KYCStatusIncomplete}, 0, 1},
	} {
		service := &accountReader{}
		record := ReadAccount(t.Context(), service, "acc_1", c.known)
		require.Equal(t, []int{c.accounts, c.checks}, []int{service.accounts, service.checks})
		if c.checks > 0 {
			require.Equal(t, due, accountDeadline("incomplete", record))
		}
	}
	require.Nil(t, ReadAccount(t.Context(), &accountReader{err: payments.NotFound("account", "acc_1")}, "acc_1", nil))
}

// The timeline has what was seen in the watch where the service does not know what has happened.
func TestSeenChanges(t *testing.T) {
	t.Parallel()
	v := newTestView()
	v.change(change("a", "", "pending", follow.Waiting), false)
	v.change(change("a", "pending", "approved", follow.Waiting), true)
	v.change(change("b", "", "pending", follow.Waiting), true)
	require.Len(t, v.seen["a"], 1)

	details := live.Details{Incomplete: true, Timeline: []live.Step{{At: time.Unix(-1, 0), To: v.kind.Status("pending")}}}
	v.kind.Details = func(context.Context, live.Row) (live.Details, error) { return details, nil }
	shown, err := v.details(t.Context(), live.Row{ID: "a"})
	require.NoError(t, err)
	require.Len(t, shown.Timeline, 2, "what was seen completes what the service knows")
	details = shown
	shown, _ = v.details(t.Context(), live.Row{ID: "a"})
	require.Len(t, shown.Timeline, 2, "once")
}
