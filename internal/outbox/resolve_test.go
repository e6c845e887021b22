package outbox

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// resolve resolves the only entry of a machine's journal.
func (m *fakeMachine) resolve(options ResolveOptions) (Resolved, error) {
	m.t.Helper()
	entries := m.entries()
	require.Len(m.t, entries, 1)
	o, _ := m.program(0)
	if options.After == 0 {
		options.After = AbsentAfter
	}
	resolved, err := o.Resolve(m.t.Context(), entries[0], options)
	require.NoError(m.t, o.journal.(*journal.Journal).Close())
	return resolved, err
}

// lostPayment is a machine that has lost a payment on its way.
func lostPayment(t *testing.T, s *fakeService, request payments.NewAutoTransfer) *fakeMachine {
	t.Helper()
	m := s.machine(t)
	s.lose = always(theRequest)
	if request.BatchID == "" {
		_, err := m.pay(request, "")
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	} else {
		o, _ := m.program(0)
		p, err := o.PrepareAutoTransfer(request, payments.Idempotency{})
		require.NoError(t, err)
		_, err = o.SubmitAutoTransfer(t.Context(), p)
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		require.NoError(t, o.journal.(*journal.Journal).Close())
	}
	s.lose = nil
	require.Equal(t, journal.OutcomeUnknown, m.outcome())
	return m
}

// ofBatch is a row of a batch.
func ofBatch(request payments.NewAutoTransfer, id string) payments.NewAutoTransfer {
	request.BatchID, request.AmountType = id, payments.AmountTypeSource
	return request
}

// withRoute is a request with another content.
func withRoute(request payments.NewAutoTransfer) payments.NewAutoTransfer {
	request.Route.RouteKey = "another:X->way:Y"
	return request
}

// What resolve finds at the service decides what becomes of a payment that was lost.
func TestResolveAPayment(t *testing.T) {
	t.Parallel()
	const wanted = "invoice-42"
	single, row := invoice(wanted), ofBatch(invoice(wanted), "bat_1")
	for name, test := range map[string]struct {
		sent    payments.NewAutoTransfer
		shown   []payments.NewAutoTransfer // transfers that the service has
		after   time.Duration
		options ResolveOptions
		outcome journal.Outcome
		hidden  bool
		detail  string
	}{
		"found":                {single, []payments.NewAutoTransfer{single}, 0, ResolveOptions{}, journal.OutcomeDone, false, ""},
		"a row that is found":  {row, []payments.NewAutoTransfer{row}, 0, ResolveOptions{}, journal.OutcomeDone, false, ""},
		"without its batch id": {row, []payments.NewAutoTransfer{ofBatch(row, "")}, 0, ResolveOptions{}, journal.OutcomeDone, false, ""},
		"not yet": {single, nil, AbsentAfter - time.Minute, ResolveOptions{}, journal.OutcomeUnknown, false,
			"does not show it yet; run this again in 1 minute."},
		"absent":          {single, nil, AbsentAfter, ResolveOptions{}, journal.OutcomeAbsent, false, notShownDetail},
		"dismissed early": {single, nil, 0, ResolveOptions{Dismiss: true}, journal.OutcomeUnknown, false, "does not show it yet"},
		"near": {single, []payments.NewAutoTransfer{invoice("INVOICE-42")}, AbsentAfter, ResolveOptions{},
			journal.OutcomeUnknown, true, `"INVOICE-42"`},
		"near, and dismissed": {single, []payments.NewAutoTransfer{invoice("INVOICE-42")}, 0, ResolveOptions{Dismiss: true},
			journal.OutcomeAbsent, false, "Dismissed."},
		"paid twice": {single, []payments.NewAutoTransfer{single, single}, AbsentAfter, ResolveOptions{},
			journal.OutcomeDone, false, ""},
		"other content": {single, []payments.NewAutoTransfer{withRoute(single)}, AbsentAfter, ResolveOptions{},
			journal.OutcomeUnknown, true, "belongs to trf_0, which differs: route: there another:X->way:Y"},
		"a row with other content": {row, []payments.NewAutoTransfer{withRoute(row)}, AbsentAfter, ResolveOptions{},
			journal.OutcomeUnknown, true, "belongs to trf_0, which has another content"},
		"of another batch": {row, []payments.NewAutoTransfer{ofBatch(row, "bat_2")}, AbsentAfter, ResolveOptions{},
			journal.OutcomeUnknown, true, "belongs to trf_0, which another batch made"},
		"of a batch": {single, []payments.NewAutoTransfer{row}, AbsentAfter, ResolveOptions{},
			journal.OutcomeUnknown, true, "belongs to trf_0, which another batch made"},
		"a row sent again": {row, nil, AbsentAfter, ResolveOptions{Resend: true}, journal.OutcomeUnknown, false, "It is a row of a file"},
		"found, not sent again": {single, []payments.NewAutoTransfer{single}, AbsentAfter, ResolveOptions{Resend: true},
			journal.OutcomeDone, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeService(func(s *fakeService) { s.ignoresFilters = true })
			m := lostPayment(t, s, test.sent)
			for _, shown := range test.shown {
				s.made(shown)
			}
			s.clock.pass(test.after)
			resolved, err := m.resolve(test.options)
			require.NoError(t, err)
			require.Equal(t, test.outcome, resolved.Outcome)
			require.Equal(t, test.outcome, m.outcome(), "in the journal")
			require.Equal(t, test.hidden, resolved.Hidden)
			require.Contains(t, resolved.Detail, test.detail)
			if name == "paid twice" {
				require.ErrorContains(t, resolved.PaidTwice, "trf_0 and trf_1")
			} else {
				require.NoError(t, resolved.PaidTwice)
			}
			if test.outcome == journal.OutcomeDone {
				require.Equal(t, "trf_0", m.entries()[0].Subject)
			}
			_, posts := s.count()
			require.Zero(t, posts)
		})
	}
}

// A payment that the service does not show is sent again on request, with its own content and key.
func TestResolveSendsAgain(t *testing.T) {
	t.Parallel()
	for name, kind := range kindsOfService {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeService(kind)
			m := lostPayment(t, s, invoice("invoice-42"))
			s.clock.pass(AbsentAfter)
			resolved, err := m.resolve(ResolveOptions{Resend: true})
			require.NoError(t, err)
			require.Equal(t, journal.OutcomeDone, resolved.Outcome)
			require.Equal(t, "trf_0", resolved.Subject)
			require.Equal(t, journal.OutcomeDone, m.outcome())
			requireOne(t, s, 1)

			// It is lost again, and stays open.
			other := lostPayment(t, s, invoice("invoice-43"))
			s.clock.pass(AbsentAfter)
			s.lose = always(theRequest)
			_, err = other.resolve(ResolveOptions{Resend: true})
			require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
			require.Equal(t, journal.OutcomeUnknown, other.outcome())
			requireOne(t, s, 1)
		})
	}
}

// While another program sends the write, or after it has found it, resolve reports that and records nothing.
func TestResolveWhatAnotherProgramChanges(t *testing.T) {
	t.Parallel()
	s := newFakeService(nil)
	m := lostPayment(t, s, invoice("invoice-42"))
	s.clock.pass(AbsentAfter)
	stale := m.entries()[0]
	s.lose = nil
	o, _ := m.program(0)
	s.arrived = func() {
		other, _ := m.program(0)
		resolved, err := other.Resolve(t.Context(), stale, ResolveOptions{After: AbsentAfter})
		require.NoError(t, err)
		require.False(t, resolved.Outcome.Settled())
		require.False(t, m.outcome().Settled(), "it is not recorded as absent while it is under way")
	}
	_, err := o.CreateAutoTransfer(t.Context(), invoice("invoice-42"), payments.Idempotency{})
	require.NoError(t, err)
	require.NoError(t, o.journal.(*journal.Journal).Close())
	s.transfers = nil // the list does not show it
	o, _ = m.program(0)
	resolved, err := o.Resolve(t.Context(), stale, ResolveOptions{After: AbsentAfter})
	require.NoError(t, err)
	require.Equal(t, journal.OutcomeDone, resolved.Outcome, "what the journal has now")
	require.Equal(t, journal.OutcomeDone, m.outcome())
}

// That a write of another client is not shown proves nothing.
func TestResolveAWriteOfAnotherClient(t *testing.T) {
	t.Parallel()
	s := newFakeService(nil)
	m := lostPayment(t, s, invoice("invoice-42"))
	s.clock.pass(AbsentAfter)
	entry := m.entries()[0]
	o, _ := m.program(0)
	writes := o.journal.(*journal.Journal)
	writes.Client = nil
	resolved, err := o.Resolve(t.Context(), entry, ResolveOptions{After: AbsentAfter})
	require.NoError(t, err)
	require.Equal(t, journal.OutcomeUnknown, resolved.Outcome)
	require.Contains(t, resolved.Detail, "with the credentials that it was sent with")
	require.Equal(t, journal.OutcomeUnknown, m.outcome())
}

// An answer about one write keeps that one open; a service that does not answer ends the command.
func TestResolveWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for kind, isOfOne := range map[payments.Kind]bool{
		payments.KindValidation: true, payments.KindUnauthenticated: false, payments.KindInsufficientScope: false,
		payments.KindRateLimited: false, payments.KindUnavailable: false,
	} {
		s := newFakeService(nil)
		m := lostPayment(t, s, invoice("invoice-42"))
		s.clock.pass(AbsentAfter)
		s.down = payments.NewProblem(kind, "no")
		resolved, err := m.resolve(ResolveOptions{})
		require.Equal(t, isOfOne, err == nil, kind)
		require.Equal(t, journal.OutcomeUnknown, resolved.Outcome)
		require.Equal(t, journal.OutcomeUnknown, m.outcome())
		if isOfOne {
			require.Contains(t, resolved.Detail, "did not answer about it")
		}
	}
}

// A payment that can be found only by its external id is not taken for one that another write made with it.
func TestResolveByAnExternalID(t *testing.T) {
	t.Parallel()
	request := invoice("")
	request.ExternalID = "customer-7"
	for _, shared := range []bool{false, true} {
		s := newFakeService(nil)
		m := s.machine(t)
		if shared {
			_, err := m.pay(request, "october")
			require.NoError(t, err)
		}
		s.lose = always(theRequest)
		_, err := m.pay(request, "november")
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		if !shared {
			s.made(request)
		}
		s.clock.pass(AbsentAfter)
		entries := m.entries()
		o, _ := m.program(0)
		resolved, err := o.Resolve(t.Context(), entries[len(entries)-1], ResolveOptions{After: AbsentAfter})
		require.NoError(t, err)
		require.Equal(t, shared, resolved.Hidden)
		if shared {
			require.Equal(t, journal.OutcomeUnknown, resolved.Outcome)
			require.Contains(t, resolved.Detail, "which another write made")
			continue
		}
		require.Equal(t, journal.OutcomeDone, resolved.Outcome)
	}
}

// A cancellation is found by the state of its transfer, and a write that has nothing to be found by stays hidden.
func TestResolveOtherWrites(t *testing.T) {
	t.Parallel()
	s := newFakeService(nil)
	s.made(invoice(""))
	m := s.machine(t)
	o, _ := m.program(0)
	s.lose = always(theRequest)
	_, err := o.CancelTransfer(t.Context(), "trf_0", payments.Idempotency{})
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	require.NoError(t, o.journal.(*journal.Journal).Close())
	resolved, err := m.resolve(ResolveOptions{})
	require.NoError(t, err)
	require.Equal(t, journal.OutcomeUnknown, resolved.Outcome, "it is not canceled yet")
	s.transfers[0].State = payments.TransferStateCanceled
	resolved, err = m.resolve(ResolveOptions{})
	require.NoError(t, err)
	require.Equal(t, journal.OutcomeDone, resolved.Outcome)
	require.Equal(t, "trf_0", resolved.Subject)

	for _, entry := range []journal.Entry{
		{Intent: journal.Intent{Operation: "createSavedContact", Key: "k"}, Result: of(journal.OutcomeUnknown), Changed: s.clock.now()},
		{Intent: journal.Intent{Operation: CreateAccountOperation, Key: "k"}, Result: of(journal.OutcomeUnknown), Changed: s.clock.now()},
		{Intent: journal.Intent{Operation: CreateAutoTransferOperation, Key: "k"}, Result: of(journal.OutcomeUnknown), Changed: s.clock.now()},
	} {
		o, _ := m.program(0)
		s.clock.pass(1000 * time.Hour)
		resolved, err := o.Resolve(t.Context(), entry, ResolveOptions{After: AbsentAfter})
		require.NoError(t, err)
		require.True(t, resolved.Hidden)
		require.Equal(t, journal.OutcomeUnknown, resolved.Outcome)
		require.Contains(t, resolved.Detail, "cannot be looked up")
	}
}

// The request that is built again from a row's transfer has the bytes with which the row was sent.
func TestRequestOf(t *testing.T) {
	t.Parallel()
	row := ofBatch(invoice("invoice-42"), "bat_1")
	row.Metadata = payments.Metadata{"b": "2", "a": "1"}
	flexible := row
	flexible.Amount, flexible.AmountType, flexible.Metadata = nil, "", nil
	for _, request := range []payments.NewAutoTransfer{row, flexible} {
		s := newFakeService(nil)
		transfer := s.made(request)
		sent, err := json.Marshal(request, json.Deterministic(true))
		require.NoError(t, err)
		again, err := json.Marshal(RequestOf(transfer), json.Deterministic(true))
		require.NoError(t, err)
		require.Equal(t, string(sent), string(again))
	}
}
