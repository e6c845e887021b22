package kyc

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui/live"
)

var noon = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

func statusEvent(at time.Duration, from, to string, attempt int, codes ...string) payments.Event {
	e := payments.Event{Type: payments.EventTypeKYCStatusChanged, OccurredAt: noon.Add(at), To: &to, Data: payments.EventData{Attempt: attempt}}
	if from != "" {
		e.From = &from
	}
	for _, code := range codes {
		e.Data.Reasons = append(e.Data.Reasons, payments.KYCReason{Code: code})
	}
	return e
}

// texts writes the steps in short.
func texts(steps []live.Step) (lines []string) {
	for _, s := range steps {
		lines = append(lines, strings.Join([]string{s.At.Sub(noon).String(), s.From.Text, s.To.Text, s.Why, s.Note}, "|"))
	}
	return lines
}

func TestTimelineOfACheck(t *testing.T) {
	t.Parallel()
	account := &payments.Account{CreatedAt: noon.Add(-time.Hour)}
	rejected := payments.KYC{
		Status: payments.KYCStatusRejected, Attempt: 3, UpdatedAt: noon, Reasons: []payments.KYCReason{{Code: "duplicate"}},
		SubmittedAt: new(noon.Add(-time.Minute)), ReviewedAt: new(noon),
	}
	created := payments.Event{Type: payments.EventTypeAccountCreated, OccurredAt: noon.Add(-time.Hour)}
	first, last := statusEvent(-time.Hour, "", "pending", 1), statusEvent(0, "pending", "rejected", 3, "duplicate")
	for name, c := range map[string]struct {
		history  history
		complete bool
		steps    []string
	}{
		"from the feed": {history{kyc: rejected, events: []payments.Event{created, first, last}, complete: true}, true, []string{
			"-1h0m0s||||the account was created", "-1h0m0s||pending||attempt 1 of 3", "0s|pending|rejected|duplicate|attempt 3 of 3"}},
		"from the end of the feed": {history{kyc: rejected, events: []payments.Event{last}}, false, []string{"0s|pending|rejected|duplicate|attempt 3 of 3"}},
		"without a feed": {history{kyc: rejected, account: account}, false, []string{
			"-1h0m0s||||the account was created", "-1m0s||pending||attempt 3 of 3", "0s||rejected|duplicate|attempt 3 of 3"}},
		"from a feed that lags": {history{kyc: rejected, events: []payments.Event{created, first}, complete: true}, false, []string{
			"-1h0m0s||||the account was created", "-1h0m0s||pending||attempt 1 of 3", "0s||rejected|duplicate|attempt 3 of 3"}},
		"from an earlier verdict": {history{kyc: payments.KYC{Status: payments.KYCStatusPaused, UpdatedAt: noon, ReviewedAt: new(noon.Add(-time.Minute))}}, false,
			[]string{"-1m0s||||a verdict was given", "0s||paused||"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, complete := c.history.timeline()
			require.Equal(t, c.steps, texts(steps))
			require.Equal(t, c.complete, complete)
		})
	}
}

// What comes next is said for every status of the contract, with the deadline and the attempt where it is a submission.
func TestNext(t *testing.T) {
	t.Parallel()
	document := []payments.KYCRequirement{
		{Name: "identity_document", Status: "open", Deadline: new(noon.Add(13*24*time.Hour + time.Hour))}, {Name: "selfie", Status: "accepted"},
	}
	for want, k := range map[string]payments.KYC{
		"The applicant submits identity_document by 2026-01-23 13:00:00Z (13d01h left), attempt 2 of 3.": {
			Status: payments.KYCStatusResubmissionRequired, Attempt: 1, Requirements: document},
		"The applicant submits identity_document by 2026-01-23 13:00:00Z (13d01h left), attempt 1 of 3.": {
			Status: payments.KYCStatusExpired, Attempt: 3, Requirements: document},
		"The applicant submits identity_document by 2026-01-10 11:00:00Z (1h00m late), attempt 1 of 3.": {
			Status: payments.KYCStatusIncomplete, Requirements: []payments.KYCRequirement{{Name: "identity_document", Status: "open", Deadline: new(noon.Add(-time.Hour))}}},
		"The applicant submits what is missing, attempt 1 of 3.":           {Status: payments.KYCStatusIncomplete},
		"The service begins the check.":                                    {Status: payments.KYCStatusNotStarted},
		"The service decides, or passes the check on to staff.":            {Status: payments.KYCStatusPending},
		"Staff decides: approved, rejected or another submission.":         {Status: payments.KYCStatusUnderReview, Attempt: 2},
		"Staff decides: approved or rejected. No further attempt is left.": {Status: payments.KYCStatusUnderReview, Attempt: 3},
		"Staff lifts the pause or closes the account.":                     {Status: payments.KYCStatusPaused},
		"Nothing. The approval expires on 2026-01-11 (1d00h left).":        {Status: payments.KYCStatusApproved, ExpiresAt: new(noon.Add(24 * time.Hour))},
		"Nothing.":                                     {Status: payments.KYCStatusApproved},
		"Nothing: rejected is final.":                  {Status: payments.KYCStatusRejected},
		"Nothing: offboarded is final.":                {Status: payments.KYCStatusOffboarded},
		"This payctl does not know the status frozen.": {Status: "frozen"},
	} {
		require.Equal(t, want, next(k, noon)[0].Text)
	}
}

// oneAccount answers reads of an account and counts them.
type oneAccount struct {
	payments.Service
	requests  atomic.Int32
	noAccount error
}

func (c *oneAccount) GetAccount(context.Context, string, payments.ReadOptions) (payments.ReadResult[payments.Account], error) {
	c.requests.Add(1)
	return payments.ReadResult[payments.Account]{Value: payments.Account{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", Metadata: payments.Metadata{"team": "north"},
	}}, c.noAccount
}

func (c *oneAccount) GetKYCStatus(context.Context, string, payments.ReadOptions) (payments.ReadResult[payments.KYC], error) {
	c.requests.Add(1)
	return payments.ReadResult[payments.KYC]{Value: payments.KYC{Status: payments.KYCStatusPending}}, nil
}

// ListEvents has a full page of events again and again.
func (c *oneAccount) ListEvents(context.Context, payments.EventFilter) (page payments.EventPage, err error) {
	c.requests.Add(1)
	for range payments.LargestPage {
		page.Data = append(page.Data, statusEvent(0, "a", "b", 0))
	}
	page.Cursor = "next"
	return page, nil
}

// Details take three requests, and show personal data only if they are to.
func TestDetailsOfTheLiveView(t *testing.T) {
	t.Parallel()
	service := &oneAccount{}
	h, err := readHistory(t.Context(), service, "acc_1")
	require.NoError(t, err)
	require.EqualValues(t, 3, service.requests.Load())
	text := func(personal bool) (text string) {
		for _, field := range h.details(noon).Fields(personal) {
			text += field.Label
			for _, cell := range field.Cells {
				text += "=" + cell.Text
			}
			text += "\n"
		}
		return text
	}
	require.Contains(t, text(true), "Name=Ada Lovelace\nE-mail=ada@example.com\n")
	require.NotContains(t, text(false), "Lovelace")
	require.NotContains(t, text(false), "ada@")
	require.Contains(t, text(false), "Metadata=team=north\n")

	service.noAccount = errors.New("forbidden")
	h, err = readHistory(t.Context(), service, "acc_1")
	require.NoError(t, err)
	require.NotContains(t, text(true), "Ada")
	require.Contains(t, text(true), "Changed=")
}
