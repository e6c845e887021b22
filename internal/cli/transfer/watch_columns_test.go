package transfer

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

func side(amount, currency string) payments.TransferSide {
	s := payments.TransferSide{Currency: currency}
	if amount != "" {
		s.Amount = new(payments.MustDecimal(amount))
	}
	return s
}

func columnOf(t *testing.T, name string) live.Column {
	t.Helper()
	for _, c := range liveColumns() {
		if c.MachineName() == name {
			return c
		}
	}
	require.Fail(t, "no column "+name)
	return live.Column{}
}

func TestColumnsOfATransfer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	row := &live.Row{
		ID: "trf_1", Status: ui.Text("payment_submitted"), Since: now.Add(-time.Minute), Deadline: now.Add(-2 * time.Hour), Why: "because",
		Data: watchui.TransferRecord{
			Reference: "invoice-42", ExternalID: "mine", BatchID: "bat_1", AccountID: "acc_1", ContactID: "sct_1", Route: "a->b",
			Source: side("12345678901234567.000001", "USDC"), Destination: side("4.05", "EUR"),
		},
	}
	at := live.Moment{Now: now, UTF8: true}
	for name, want := range map[string]string{
		"id": "trf_1", "reference": "invoice-42", "amount": "12345678901234567.000001 USDC", "delivers": "4.05 EUR", "route": "a->b",
		"contact": "sct_1", "account": "acc_1", "state": "payment_submitted", "age": "1m00s", "progress": "●●●○", "reason": "because",
		"deadline": "2h00m late", "externalId": "mine", "batch": "bat_1", "sourceAmount": "12345678901234567.000001", "sourceCurrency": "USDC",
		"destinationAmount": "4.05", "destinationCurrency": "EUR",
	} {
		require.Equal(t, want, columnOf(t, name).Cell(row, at).Text, name)
	}
	require.Equal(t, "payment_submitted", columnOf(t, "status").Text(row))
	require.Equal(t, "USDC EUR", columnOf(t, "currency").Text(row))
	value, ok := columnOf(t, "delivers").Value(row, now)
	require.True(t, ok)
	require.Equal(t, 4.05, value)

	// A source that does not know the transfer, or not yet its amount.
	empty := &live.Row{ID: "trf_2"}
	flexible := &live.Row{ID: "trf_3", Data: watchui.TransferRecord{Source: side("", "USDC")}}
	require.Empty(t, columnOf(t, "amount").Cell(empty, at).Text)
	require.Equal(t, "- USDC", columnOf(t, "amount").Cell(flexible, at).Text)
	_, ok = columnOf(t, "amount").Value(flexible, now)
	require.False(t, ok)
	amount := columnOf(t, "amount")
	require.Negative(t, amount.Compare(row, flexible), "those without an amount come last")
	require.Positive(t, amount.Compare(flexible, row))
	require.Zero(t, amount.Compare(flexible, empty))
	less := &live.Row{Data: watchui.TransferRecord{Source: side("12345678901234567", "USDC")}}
	require.Negative(t, amount.Compare(row, less), "exactly, the greatest first")
	require.Negative(t, columnOf(t, "reference").Compare(row, flexible), "those without a reference come last")
}

// Every transfer that delivers its money takes the same steps, each state at least as many as the one before.
func TestProgress(t *testing.T) {
	t.Parallel()
	shown := map[payments.TransferState]string{
		payments.TransferStateAwaitingFunds: "○○○○", payments.TransferStateInReview: "●○○○", payments.TransferStateFundsReceived: "●●○○",
		payments.TransferStatePaymentSubmitted: "●●●○", payments.TransferStatePaymentProcessed: "●●●●",
	}
	for state, want := range shown {
		require.Equal(t, want, progress(state, true).Text)
		require.Equal(t, strings.Count(want, "●"), stepsDone(state))
		for other := range shown {
			if state.CanBecome(other) {
				require.Less(t, stepsDone(state), stepsDone(other))
			}
		}
	}
	require.Equal(t, "2/4", progress(payments.TransferStateFundsReceived, false).Text)
	require.Empty(t, progress(payments.TransferStateFailed, true).Text, "there are no more steps")
	require.Empty(t, progress("unheard_of", true).Text)
}

func TestExpected(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	require.Empty(t, expected(time.Time{}, now).Text)
	early, late := expected(now.Add(90*time.Minute), now), expected(now.Add(-time.Minute), now)
	require.Equal(t, ui.Text("in 1h30m"), early)
	require.Equal(t, ui.Toned(ui.Bad, "1m00s late"), late)
}
