package outbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// An oddService is a service that behaves in ways that no one promised not to.
type oddService struct {
	outbox.Client // nil: any other call fails the test

	now         time.Time
	honoursKeys bool
	listTakes   time.Duration
	lists       int
	largest     int   // rows that a page was asked for
	listError   error // of every list
	shown       []payments.Transfer
	accounts    []payments.Account
	// answer answers a new transfer or account.
	answer func() (payments.Transfer, bool, error)
	sent   int
	unique bool
	asked  int // whether it keeps references unique
}

func (s *oddService) Authorize(context.Context) error            { return nil }
func (s *oddService) World() string                              { return "" }
func (s *oddService) HonoursKeys(context.Context, bool) bool     { return s.honoursKeys }
func (s *oddService) KeepsReferencesUnique(context.Context) bool { s.asked++; return s.unique }
func (s *oddService) clock() time.Time                           { return s.now }
func (s *oddService) sleep(_ context.Context, d time.Duration) error {
	s.now = s.now.Add(d)
	return nil
}

func (s *oddService) Encode(operation string, _ []string, body any) (string, []byte, error) {
	encoded, err := json.Marshal(body, json.Deterministic(true))
	return "/" + operation, encoded, err
}

func (s *oddService) ListTransfers(_ context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	s.lists++
	s.largest = filter.Limit
	s.now = s.now.Add(s.listTakes)
	if s.lists > 100 {
		return payments.TransferPage{}, fmt.Errorf("asked without end")
	}
	return payments.TransferPage{Data: slices.Clone(s.shown)}, s.listError
}

func (s *oddService) ListAccounts(context.Context, payments.AccountFilter) (payments.AccountPage, error) {
	return payments.AccountPage{Data: s.accounts}, nil
}

func (s *oddService) GetTransfer(
	_ context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.Transfer], error) {
	at := slices.IndexFunc(s.shown, func(t payments.Transfer) bool { return t.ID == id })
	if at < 0 {
		return payments.ReadResult[payments.Transfer]{}, payments.NotFound("transfer", id)
	}
	return payments.ReadResult[payments.Transfer]{Value: s.shown[at]}, nil
}

func (s *oddService) SendAutoTransfer(
	ctx context.Context, _ payments.NewAutoTransfer, _ []byte, key payments.Idempotency,
) (payments.WriteResult[payments.Transfer], error) {
	if err := key.MaySend(ctx, key.Lost); err != nil {
		return payments.WriteResult[payments.Transfer]{}, &payments.NotSentError{Err: err}
	}
	s.sent++
	transfer, replayed, err := s.answer()
	return payments.WriteResult[payments.Transfer]{Value: transfer, Replayed: replayed}, err
}

func (s *oddService) CreateAccount(
	context.Context, payments.NewAccount, payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	s.sent++
	_, _, err := s.answer()
	return payments.WriteResult[payments.Account]{}, err
}

func newOddService(change func(*oddService)) *oddService {
	s := &oddService{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	change(s)
	return s
}

// outbox returns a new program's outbox on the journal at a path.
func (s *oddService) outbox(t *testing.T, path string) *outbox.Outbox {
	writes := &journal.Journal{Path: path, Service: "https://odd.example", Now: s.clock}
	t.Cleanup(func() { require.NoError(t, writes.Close()) })
	return outbox.New(s, writes, outbox.Options{Timeout: 30 * time.Second, Now: s.clock, Sleep: s.sleep})
}

var (
	oddRequest  = payments.NewAutoTransfer{DestinationSavedContactID: "sct_1", Route: payments.RouteChoice{RouteKey: "a:USDC->b:EUR"}, Reference: "invoice-1"}
	oddTransfer = payments.Transfer{
		ID: "trf_1", DestinationSavedContactID: "sct_1", Route: "a:USDC->b:EUR", Reference: "invoice-1",
		AmountType: payments.AmountTypeSource, State: payments.TransferStateAwaitingFunds,
	}
)

func lostAnswer() (payments.Transfer, bool, error) {
	return payments.Transfer{}, false, payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "Lost.", "It was lost.")
}

// A service may take longer to show its transfers than what it shows may be relied on. It is not asked without end.
func TestLookupThatTakesTooLong(t *testing.T) {
	t.Parallel()
	s := newOddService(func(s *oddService) { s.listTakes = 2 * time.Minute })
	_, err := s.outbox(t, filepath.Join(t.TempDir(), "j.db")).
		CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
	require.True(t, payments.IsKind(err, payments.KindTimeout), err)
	require.Zero(t, s.sent)
	require.Equal(t, 3, s.lists)
	require.Equal(t, payments.LargestPage, s.largest)
}

// A response that repeats the one to another request with the same key is no effect of this one.
func TestReplayOfAnotherTransferIsNotDone(t *testing.T) {
	t.Parallel()
	s := newOddService(func(s *oddService) {
		s.honoursKeys = true
		s.answer = func() (payments.Transfer, bool, error) {
			other := oddTransfer
			other.DestinationSavedContactID = "sct_2"
			return other, true, nil
		}
	})
	o := s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	for range 2 {
		_, err := o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
		require.ErrorAs(t, err, new(*outbox.ReferenceReusedError))
	}
}

// An account that is found by an external id is not what another content with the same key asks for.
func TestLostAccountWithOtherContent(t *testing.T) {
	t.Parallel()
	s := newOddService(func(s *oddService) { s.answer = lostAnswer })
	o := s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	key := payments.Idempotency{Key: "k"}
	_, err := o.CreateAccount(t.Context(), payments.NewAccount{ExternalID: "x", FirstName: "Ada"}, key)
	require.True(t, payments.IsKind(err, payments.KindOutcomeUnknown), err)
	s.accounts = []payments.Account{{ID: "acc_1", ExternalID: "x"}}
	_, err = o.CreateAccount(t.Context(), payments.NewAccount{ExternalID: "x", FirstName: "Bea"}, key)
	require.True(t, payments.IsKind(err, payments.KindAlreadySent), err)
	found, err := o.CreateAccount(t.Context(), payments.NewAccount{ExternalID: "x", FirstName: "Ada"}, key)
	require.NoError(t, err)
	require.Equal(t, "acc_1", found.Value.ID)
	require.Equal(t, 1, s.sent)
}

// A write that was recorded while the clock was ahead does not stay unknown until the clock is there again.
func TestWriteThatWasSentInTheFuture(t *testing.T) {
	t.Parallel()
	s := newOddService(func(s *oddService) { s.answer = lostAnswer })
	o := s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	_, err := o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
	require.True(t, payments.IsKind(err, payments.KindOutcomeUnknown), err)
	require.NoError(t, o.Record(t.Context(), nil)) // the outcome is on the disk
	s.now = s.now.Add(-1000 * time.Hour)
	_, err = o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
	problem := new(payments.ProblemError)
	require.ErrorAs(t, err, &problem)
	require.Contains(t, problem.Next, "payctl transfer resolve --after 0s")
	resolved := resolveOnly(t, o, outbox.ResolveOptions{After: outbox.AbsentAfter})
	require.Equal(t, journal.OutcomeUnknown, resolved.Outcome)
	require.Contains(t, resolved.Detail, "--after 0s")
	require.Equal(t, journal.OutcomeAbsent, resolveOnly(t, o, outbox.ResolveOptions{}).Outcome)
	s.answer = func() (payments.Transfer, bool, error) { return oddTransfer, false, nil }
	_, err = o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
	require.NoError(t, err)
	require.Equal(t, 2, s.sent)
}

func resolveOnly(t *testing.T, o *outbox.Outbox, options outbox.ResolveOptions) (resolved outbox.Resolved) {
	require.NoError(t, o.Entries(t.Context(), journal.Filter{Open: true}, func(entry journal.Entry) (err error) {
		resolved, err = o.Resolve(t.Context(), entry, options)
		return err
	}))
	return resolved
}

// A write about which the service does not answer can be closed.
func TestDismissAWriteThatTheServiceRefusesToLookUp(t *testing.T) {
	t.Parallel()
	s := newOddService(func(s *oddService) { s.answer = lostAnswer })
	o := s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	_, err := o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
	require.True(t, payments.IsKind(err, payments.KindOutcomeUnknown), err)
	refused := payments.NewProblem(payments.KindURITooLong, "The reference is too long.")
	refused.Status, s.listError = 414, refused
	require.False(t, resolveOnly(t, o, outbox.ResolveOptions{}).Outcome.Settled())
	require.Equal(t, journal.OutcomeAbsent, resolveOnly(t, o, outbox.ResolveOptions{Dismiss: true}).Outcome)
}

// Once the second transfer of a reference was canceled, as the message advises, the reference was paid once.
func TestPaidTwiceAndCanceled(t *testing.T) {
	t.Parallel()
	second := oddTransfer
	second.ID = "trf_2"
	s := newOddService(func(s *oddService) { s.shown = []payments.Transfer{second, oddTransfer} })
	o := s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	_, err := o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
	require.True(t, payments.IsKind(err, payments.KindPaidTwice), err)
	require.ErrorContains(t, err, "trf_1 and trf_2")
	for canceled := range 2 {
		s.shown = []payments.Transfer{second, oddTransfer}
		s.shown[canceled].State = payments.TransferStateCanceled
		found, err := o.CreateAutoTransfer(t.Context(), oddRequest, payments.Idempotency{})
		require.NoError(t, err)
		require.Contains(t, s.shown[1-canceled].ID, found.Value.ID)
		require.NoError(t, o.Record(t.Context(), nil))
		o = s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	}
}

// A service that could not be asked whether it keeps references unique is asked again soon, and one that declares it
// after an hour.
func TestDeclarationIsAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newOddService(func(*oddService) {})
	o := s.outbox(t, filepath.Join(t.TempDir(), "j.db"))
	ended, end := context.WithCancel(t.Context())
	end()
	require.False(t, o.KeepsReferencesUnique(ended))
	require.False(t, o.KeepsReferencesUnique(t.Context()))
	require.False(t, o.KeepsReferencesUnique(t.Context()))
	require.Equal(t, 2, s.asked)
	s.unique, s.now = true, s.now.Add(time.Minute)
	require.True(t, o.KeepsReferencesUnique(t.Context()))
	s.unique, s.now = false, s.now.Add(59*time.Minute)
	require.True(t, o.KeepsReferencesUnique(t.Context()))
	s.now = s.now.Add(time.Minute)
	require.False(t, o.KeepsReferencesUnique(t.Context()))
}
