package outbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

func most(amount string) map[string]money.Decimal {
	return map[string]money.Decimal{"X": money.MustDecimal(amount)}
}

// Limits hold back further payments of every command, but no replays or repetitions, even of another machine's payment.
func TestLimitsHoldPaymentsBack(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, s *service) {
		m := s.machine(t)
		requireHeld := func(reference, amount string, kind payments.ProblemType) {
			t.Helper()
			_, err := m.pay(t, transfer(reference, amount))
			require.True(t, payments.IsProblem(err, kind), "%v", err)
		}
		_, err := m.pay(t, transfer("first", "50"))
		require.NoError(t, err)
		m.limits = journal.Limits{Payment: most("10"), Day: most("70")}
		requireHeld("r", "10.01", payments.ProblemAboveLimit)
		m.limits = journal.Limits{Day: most("55")}
		requireHeld("r", "5.01", payments.ProblemHeldBack)
		for range 2 {
			_, err = m.pay(t, transfer("r", "5"))
			require.NoError(t, err)
		}
		call := effect.Request{
			Method: "POST", Path: "/transfers/auto/v1",
			Body: jsontext.Value(`{"destinationSavedContactId":"sct_1","route":"a:X->b:Y","amount":"1","reference":"c"}`),
		}
		m.run(t, false, func(o *outbox.Outbox) {
			require.True(t, payments.IsProblem(o.Call(t.Context(), call, "").Err, payments.ProblemHeldBack))
			call.Path = "/another/v1"
			require.NoError(t, o.Call(t.Context(), call, "").Err, "a call outside the contract has no limit")
		})
		other := s.machine(t)
		other.limits = journal.Limits{Day: most("1")}
		_, err = other.pay(t, transfer("r", "5"))
		require.NoError(t, err, "another machine has paid it")

		m.limits = journal.Limits{Day: map[string]money.Decimal{"Y": money.MustDecimal("5")}}
		requireHeld("r2", "1", payments.ProblemHeldBack)
		flexible := transfer("r3", "1")
		flexible.Amount = nil
		m.limits = journal.Limits{Day: most("500")}
		_, err = m.pay(t, flexible)
		require.True(t, payments.IsProblem(err, payments.ProblemHeldBack), "%v", err)
		require.Len(t, s.documents, 3)
	})
}

// An unknown payment counts until it is settled. If a person sends it again, it counts twice.
func TestAnOpenPaymentCounts(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	m := s.machine(t)
	m.limits = journal.Limits{Day: most("9")}
	s.lose = func() (request, response bool) { return true, false }
	_, err := m.pay(t, transfer("r", "5"))
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	s.lose = nil
	s.clock.Advance(100 * time.Hour)
	_, err = m.pay(t, transfer("r2", "5"))
	require.ErrorContains(t, err,
		"5.00 X does not fit limit_day 9:X: payments of the last 24 hours have 5.00, 1 of them open: r.")
	resend := func() error {
		m.run(t, false, func(o *outbox.Outbox) {
			_, err = o.Resend(t.Context(), o.Resolve(t.Context(), m.entries(t)[0]))
		})
		return err
	}
	require.ErrorContains(t, resend(), "does not fit limit_day")
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "it is still open")
	m.limits = journal.Limits{Day: most("10")}
	require.NoError(t, resend())
	for _, reference := range []string{"r2", "r2"} { // the first attempt was long ago
		_, err = m.pay(t, transfer(reference, "5"))
		require.NoError(t, err)
	}
	_, err = m.pay(t, transfer("r3", "1"))
	require.True(t, payments.IsProblem(err, payments.ProblemHeldBack), "%v", err)
}

// A person can let a payment pass the limit of one payment, but not the limit of a day.
func TestAPersonConfirmsALimit(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	m := s.machine(t)
	var asked []string
	m.options = func(o *outbox.Options) {
		o.Confirm = func(_ context.Context, why *payments.ProblemError, amount string) error {
			asked = append(asked, amount)
			if amount == "7.00" {
				return why
			}
			return nil
		}
	}
	m.limits = journal.Limits{Payment: most("5"), Day: most("20")}
	_, err := m.pay(t, transfer("r", "6"))
	require.NoError(t, err)
	_, err = m.pay(t, transfer("r2", "7"))
	require.True(t, payments.IsProblem(err, payments.ProblemAboveLimit), "%v", err)
	_, err = m.pay(t, transfer("r3", "15"))
	require.True(t, payments.IsProblem(err, payments.ProblemHeldBack), "%v", err)
	require.Equal(t, []string{"6.00", "7.00"}, asked)
}

// A contact that differs from the last payee with its name is not paid. An open payment to it is not sent again.
func TestAChangedPayee(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{keys: true})
	m := s.machine(t)
	s.create("sct", document{
		"label": "Ada", "holderName": "Ada\nLovelace", "paymentRail": "sepa", "iban": "DE89370400440532013000",
	})
	id, _ := s.documents[0]["id"].(string)
	to := func(reference string) payments.NewAutoTransfer {
		request := transfer(reference, "5")
		request.DestinationSavedContactID = id
		return request
	}
	_, err := m.pay(t, to("r"))
	require.NoError(t, err)
	s.lose = func() (request, response bool) { return true, false }
	_, err = m.pay(t, to("open"))
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	s.lose = nil
	s.change(id, document{"iban": "DE02120300000000202051"})
	_, err = m.pay(t, to("r"))
	require.NoError(t, err, "it is already paid")
	_, err = m.pay(t, to("open"))
	require.True(t, payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
	_, err = m.pay(t, to("r2"))
	require.True(t, payments.IsProblem(err, payments.ProblemPayeeChanged), "%v", err)
	require.ErrorContains(t, err, "3000, and is now")
	require.ErrorContains(t, err, "2051")
	require.NotContains(t, err.Error(), "\n", "a name does not begin a new line")
	require.Len(t, s.documents, 2)
	m.options = func(o *outbox.Options) { o.AcceptPayee = true }
	_, err = m.pay(t, to("r2"))
	require.NoError(t, err)
	m.options = nil
	for _, reference := range []string{"r3", "open"} {
		_, err = m.pay(t, to(reference))
		require.NoError(t, err, "it is the last payee now")
	}
}

// The note about a similar payment names its reference.
func TestSimilarPayments(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{})
	m := s.machine(t)
	var notes []string
	m.options = func(o *outbox.Options) { o.Note = func(text string) { notes = append(notes, text) } }
	for _, request := range []payments.NewAutoTransfer{
		transfer("r", "5"), transfer("r", "5"), transfer("r2", "6"), transfer("r3", "5.0"),
	} {
		_, err := m.pay(t, request)
		require.NoError(t, err)
	}
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "Similar to r:")
	s.clock.Advance(73 * time.Hour)
	_, err := m.pay(t, transfer("r4", "5"))
	require.NoError(t, err)
	require.Len(t, notes, 1)
}

// A program that has slept checks again whether its payment fits the limit of the day.
func TestALimitAfterSleep(t *testing.T) {
	t.Parallel()
	s := newService(t, kind{keys: true})
	m := s.machine(t)
	m.limits.Day = most("10")
	s.listed = func() { // the payment is claimed
		s.clock.Advance(2 * time.Minute)
		m.limits.Day["X"] = money.MustDecimal("4")
	}
	_, err := m.pay(t, transfer("r", "5"))
	require.True(t, payments.IsProblem(err, payments.ProblemHeldBack), "%v", err)
	require.Equal(t, effect.NotSent, m.entries(t)[0].Outcome)
	require.Empty(t, s.documents)
}
