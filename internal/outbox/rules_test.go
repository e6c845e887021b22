package outbox_test

import (
	"maps"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

func transfer(reference, amount string) payments.NewAutoTransfer {
	return payments.NewAutoTransfer{
		DestinationSavedContactID: "sct_1", Route: payments.RouteChoice{RouteKey: "a:X->b:Y"},
		Amount: new(money.MustDecimal(amount)), Reference: reference,
	}
}

// pay creates a transfer as the command does.
func (m *machine) pay(t testing.TB, request payments.NewAutoTransfer) (id string, err error) {
	t.Helper()
	m.run(t, false, func(o *outbox.Outbox) {
		var made payments.WriteResult[payments.Transfer]
		made, err = o.CreateAutoTransfer(t.Context(), request, payments.Idempotency{})
		id = made.Value.ID
	})
	return id, err
}

// entries returns the entries of the machine's journal.
func (m *machine) entries(t testing.TB) (all []journal.Entry) {
	t.Helper()
	m.run(t, false, func(o *outbox.Outbox) {
		require.NoError(t, o.Journal.Each(t.Context(), journal.Filter{}, func(e journal.Entry) error {
			all = append(all, e)
			return nil
		}))
	})
	return all
}

// entriesOf returns the open entries of a write.
func (m *machine) entriesOf(t testing.TB, o *outbox.Outbox, of journal.Entry) (all []journal.Entry) {
	t.Helper()
	require.NoError(t, o.Journal.Each(t.Context(), journal.Filter{Open: true, Text: of.Key}, func(e journal.Entry) error {
		all = append(all, e)
		return nil
	}))
	return all
}

func eachKind(t *testing.T, test func(*testing.T, *service)) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newService(t, k))
		})
	}
}

// The same line pays once, here and on another machine, and its reference pays nothing else.
func TestAReferenceIsPaidOnce(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *service) {
		first, err := s.machine(t).pay(t, transfer("r", "5"))
		require.NoError(t, err)
		m := s.machine(t)
		for range 2 {
			again, err := m.pay(t, transfer("r", "5.00"))
			require.NoError(t, err)
			require.Equal(t, first, again)
			s.clock.Advance(25 * time.Hour)
		}
		_, err = m.pay(t, transfer("r", "6"))
		require.Error(t, err)
		require.Len(t, s.with("reference", "r"), 1)
	})
}

// A refusal may mean that another machine has paid. It counts only after an answered lookup.
func TestARefusalThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	for name, breakList := range map[string]func(*service){
		"fails": func(s *service) { s.fail = func() bool { return true } }, "is gone": func(s *service) { s.noList = true },
	} {
		s := newService(t, kind{unique: name == "fails"})
		s.strict = true
		m := s.machine(t)
		var paid string
		s.arrived = func(*machine) { // by a gateway that sends the request twice
			s.unique = true
			paid = s.pay("r", "sct_1", "5")
			breakList(s)
		}
		_, err := m.pay(t, transfer("r", "5"))
		require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%s: %v", name, err)

		s.arrived, s.fail, s.noList = nil, nil, false
		again, err := m.pay(t, transfer("r", "5"))
		require.NoError(t, err)
		require.Equal(t, paid, again)
		require.Len(t, s.with("reference", "r"), 1)
	}
}

// An import accepts a contact with the row's external id only if the fingerprint is equal, or everything is shown.
func TestAnImportedContactWithAnotherIBAN(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	s.edit = func(_ string, d document) document {
		d["iban"] = "DE****************3000"
		return d
	}
	m := s.machine(t)
	row := func(iban string) (result effect.Result) {
		m.run(t, false, func(o *outbox.Outbox) {
			result = o.Submit(t.Context(), outbox.ImportedContact(payments.NewSavedContact{
				Label: "Ada", ExternalID: "x", IBAN: iban, PaymentRail: "sepa",
			}))
		})
		return result
	}
	require.True(t, row("DE89370400440532013000").IsDone())
	require.True(t, row("DE89370400440532013000").Replayed)
	other := row("DE02120300000000203000")
	require.Equal(t, effect.Refused, other.Outcome)
	require.True(t, payments.IsProblem(other.Err, payments.ProblemExternalIDUsed), "%v", other.Err)
	require.Len(t, s.with("externalId", "x"), 1)
}

// A restored service does not show a done payment. payctl sends it again only when the user asks for that. Another
// payment that has its id now does not count as its effect.
func TestAServiceThatWasRestored(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *service) {
		m := s.machine(t)
		_, err := m.pay(t, transfer("r", "5"))
		require.NoError(t, err)
		s.restore(nil)
		s.made = 0
		other := s.pay("other", "sct_2", "7")
		_, err = m.pay(t, transfer("r", "5"))
		require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
		require.Equal(t, 1, s.posts)

		entry := m.entries(t)[0]
		m.run(t, false, func(o *outbox.Outbox) {
			resolved := o.Resolve(t.Context(), entry)
			require.Error(t, resolved.Err)
			require.Positive(t, o.ResendsIn(entry, outbox.ResendAfter))
			s.clock.Advance(outbox.ResendAfter)
			require.Zero(t, o.ResendsIn(entry, outbox.ResendAfter))
			again, err := o.Resend(t.Context(), resolved)
			require.NoError(t, err)
			require.Equal(t, effect.Done, again.Outcome)
			require.NotEqual(t, other, again.Subject)
		})
		require.Len(t, s.with("reference", "r"), 1)
	})
}

// decisions are what a person can decide about a write.
var decisions = map[string]func(testing.TB, *outbox.Outbox, outbox.Resolved) error{
	"accept": func(t testing.TB, o *outbox.Outbox, r outbox.Resolved) error {
		r, err := o.Propose(t.Context(), r, []string{"trf_7"})
		require.NoError(t, err)
		_, err = o.Accept(t.Context(), r)
		return err
	},
	"dismiss": func(t testing.TB, o *outbox.Outbox, r outbox.Resolved) error {
		_, err := o.Dismiss(t.Context(), r)
		return err
	},
	"resend": func(t testing.TB, o *outbox.Outbox, r outbox.Resolved) error {
		_, err := o.Resend(t.Context(), r)
		return err
	},
}

// A decision counts only if nobody has sent or settled the write since the person saw it.
func TestADecisionThatComesTooLate(t *testing.T) {
	t.Parallel()
	events := maps.Clone(decisions)
	events["find"] = func(t testing.TB, o *outbox.Outbox, r outbox.Resolved) error { // the request has arrived meanwhile
		return o.Resolve(t.Context(), r.Entry).Err
	}
	for first, happen := range events {
		for second, decide := range decisions {
			s := newService(t, kind{})
			m := s.machine(t)
			s.lose = func() (request, response bool) { return true, false }
			s.late = func() bool { return true }
			_, err := m.pay(t, transfer("r", "5"))
			require.Error(t, err)
			s.lose = nil
			s.clock.Advance(time.Hour)
			var r outbox.Resolved
			m.run(t, false, func(o *outbox.Outbox) { r = o.Resolve(t.Context(), m.entries(t)[0]) })
			if first == "find" {
				s.deliver()
			}
			m.run(t, false, func(o *outbox.Outbox) { require.NoError(t, happen(t, o, r)) })
			settled, posts := m.entries(t)[0], s.posts
			m.run(t, false, func(o *outbox.Outbox) { err = decide(t, o, r) })
			require.Equal(t, second == "resend" && first != "dismiss", err == nil, "%s after %s: %v", second, first, err)
			require.Equal(t, posts, s.posts, "%s after %s", second, first)
			require.Equal(t, settled.Ending, m.entries(t)[0].Ending, "%s after %s", second, first)
		}
	}
}

// The service may refuse a resend because of the first attempt.
func TestARefusedResend(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	m := s.machine(t)
	s.hidden = []string{"reference"}
	s.lose = func() (request, response bool) { return false, s.posts == 0 }
	_, err := m.pay(t, transfer("r", "5"))
	require.Error(t, err)
	s.refuse = func() bool { return true }
	m.run(t, false, func(o *outbox.Outbox) {
		_, err = o.Resend(t.Context(), o.Resolve(t.Context(), m.entries(t)[0]))
	})
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	require.Equal(t, effect.Unknown, m.entries(t)[0].Outcome)
}

// An answer with an error proves a cancellation only if a read shows it.
func TestACancellationThatReportsAnError(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	id := s.pay("r", "sct_1", "5")
	s.edit = func(method string, d document) document {
		if method == http.MethodPost {
			s.documents[0]["state"], d["error"] = "awaiting_funds", "not now"
		}
		return d
	}
	s.machine(t).run(t, false, func(o *outbox.Outbox) {
		_, err := o.CancelTransfer(t.Context(), id, payments.Idempotency{})
		require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	})
}

// If nothing prevents a second effect, payctl never sends a write again that may have left. It does not matter how much
// time passes or what lists show. The decision of a person holds.
func TestOnlyAPersonDecidesThatAWriteDidNotHappen(t *testing.T) {
	t.Parallel()
	for name, decide := range decisions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, kind{})
			m := s.machine(t)
			s.lose = func() (request, response bool) { return s.posts == 0 && len(s.pending) == 0, false }
			s.late = func() bool { return true } // the request arrives when the test says so
			for range 3 {
				_, err := m.pay(t, transfer("r", "5"))
				require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
				s.clock.Advance(48 * time.Hour)
			}
			require.Zero(t, s.posts)
			m.run(t, false, func(o *outbox.Outbox) {
				require.NoError(t, decide(t, o, o.Resolve(t.Context(), m.entries(t)[0])))
			})
			_, err := m.pay(t, transfer("r", "5"))
			switch name {
			case "accept":
				require.NoError(t, err)
				require.Zero(t, s.posts)
			case "dismiss":
				require.True(t, payments.IsProblem(err, payments.ProblemClosed), "%v", err)
				require.Zero(t, s.posts)
			case "resend":
				require.NoError(t, err)
				s.deliver() // now the first request arrives
				_, err = m.pay(t, transfer("r", "5"))
				require.True(t, payments.IsProblem(err, payments.ProblemPaidTwice), "%v", err)
			}
		})
	}
}

// A payment whose reference the service rewrites is never sent again. Once a person has accepted it, it stays accepted.
func TestAReferenceThatTheServiceRewrites(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	s.quirk = rewrites
	m := s.machine(t)
	for range 2 {
		_, err := m.pay(t, transfer("r", "5"))
		require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
		require.ErrorContains(t, err, "references: PATTERN")
		s.clock.Advance(48 * time.Hour)
	}
	require.Equal(t, 1, s.posts)
	require.Equal(t, map[string]string{"reference": "R!"}, m.entries(t)[0].Shown)
	m.options = func(o *outbox.Options) { o.References = regexp.MustCompile("^[A-Z!]+$") }
	_, err := m.pay(t, transfer("new", "5"))
	require.True(t, payments.IsProblem(err, payments.ProblemInvalidRequest), "%v", err)
	_, err = m.pay(t, transfer("r", "5"))
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	m.options = nil
	m.run(t, false, func(o *outbox.Outbox) {
		r, err := o.Propose(t.Context(), o.Resolve(t.Context(), m.entries(t)[0]), nil)
		require.NoError(t, err)
		_, err = o.Accept(t.Context(), r)
		require.NoError(t, err)
	})
	for range 3 {
		_, err := m.pay(t, transfer("r", "5"))
		require.NoError(t, err)
	}
	_, err = m.pay(t, transfer("r", "6"))
	require.True(t, payments.IsProblem(err, payments.ProblemReferenceReused), "%v", err)
	require.Equal(t, 1, s.posts)
}

// The list after a payment may show another amount or reference than the answer. Then the payment is unknown.
func TestAListThatShowsSomethingElse(t *testing.T) {
	t.Parallel()
	for member, text := range map[string]string{"amount": "500", "reference": "R"} {
		s := newService(t, kind{})
		s.ignoresFilters = true
		s.edit = func(method string, d document) document {
			if method == http.MethodPost {
				s.documents[0][member] = text
			}
			return d
		}
		_, err := s.machine(t).pay(t, transfer("r", "5"))
		require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
		require.ErrorContains(t, err, member+": there "+text)
	}
}

// What an unknown payment has sent counts, whatever the next line asks for.
func TestAnUnknownPaymentIsNotOneWithAnotherAmount(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	m := s.machine(t)
	s.hidden = []string{"amount"}
	s.lose = func() (request, response bool) { return false, s.posts == 0 }
	_, err := m.pay(t, transfer("r", "5"))
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	_, err = m.pay(t, transfer("r", "7"))
	require.True(t, payments.IsProblem(err, payments.ProblemReferenceReused), "%v", err)
	_, err = m.pay(t, transfer("r", "5"))
	require.NoError(t, err)
	require.Equal(t, 1, s.posts)
}

// A write may be refused because of an attempt whose answer was lost: the reference is taken, or a limit is used up. It
// is unknown until a list shows it. The attempt may be of an earlier program.
func TestARefusalAfterALostAttempt(t *testing.T) {
	t.Parallel()
	for run := range 4 {
		s := newService(t, kind{unique: true})
		s.strict, s.lag = run < 2, time.Minute
		s.refuse = func() bool { return !s.strict && len(s.documents) > 0 }
		m := s.machine(t)
		m.retries = run % 2
		s.lose = func() (request, response bool) { return false, s.posts == 0 }
		for range 2 {
			_, err := m.pay(t, transfer("r", "5"))
			require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
			require.Equal(t, effect.Unknown, m.entries(t)[0].Outcome, "in run %d", run)
		}
		s.clock.Advance(time.Hour)
		_, err := m.pay(t, transfer("r", "5"))
		require.NoError(t, err)
		require.Len(t, s.documents, 1)
	}
}

// A transfer with the reference is the effect of the write only if its amount or contact is shown too.
func TestATransferThatShowsOnlyItsReference(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	s.pay("r", "sct_1", "5")
	s.hidden = []string{"amount", "destinationSavedContactId"}
	s.edit = func(_ string, d document) document {
		return document{"id": d["id"], "reference": d["reference"]}
	}
	_, err := s.machine(t).pay(t, transfer("r", "5"))
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	s.edit = nil
	_, err = s.machine(t).pay(t, transfer("r", "5"))
	require.NoError(t, err, "a read shows all of it")
	require.Zero(t, s.posts)
}

// A reference that only looks the same proves nothing: the payment may or may not have been made.
func TestALookalikeProvesNothing(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]string{
		"case": "CAF\u00c9 1", "another space": "caf\u00e9\u00a01", "two spaces": "caf\u00e9  1",
		"normal form": "cafe\u0301 1", "invisible": "caf\u00e9\u200b 1",
	} {
		s := newService(t, kind{})
		s.ignoresFilters = true
		_, err := s.machine(t).pay(t, transfer(there, "5"))
		require.NoError(t, err, name)
		_, err = s.machine(t).pay(t, transfer("caf\u00e9 1", "5"))
		require.Error(t, err, name)
		require.Empty(t, s.with("reference", "caf\u00e9 1"), name)
	}
}
