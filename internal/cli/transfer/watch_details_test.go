package transfer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A history is a service with one transfer.
type history struct {
	payments.Service
	transfer payments.Transfer
	events   []payments.Event
	noMore   bool // neither contacts nor events may be read
}

func (h *history) GetTransfer(context.Context, string, payments.ReadOptions) (payments.ReadResult[payments.Transfer], error) {
	return payments.ReadResult[payments.Transfer]{Value: h.transfer}, nil
}

func (h *history) GetSavedContact(
	_ context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.SavedContact], error) {
	if h.noMore {
		return payments.ReadResult[payments.SavedContact]{}, errors.New("forbidden")
	}
	return payments.ReadResult[payments.SavedContact]{Value: payments.SavedContact{ID: id, Label: "Landlord"}}, nil
}

func (h *history) ListEvents(context.Context, payments.EventFilter) (payments.EventPage, error) {
	if h.noMore {
		return payments.EventPage{}, errors.New("forbidden")
	}
	return payments.EventPage{Data: h.events, Cursor: "end"}, nil
}

// shown is what the details show, without tones.
func shown(details live.Details) string {
	var b strings.Builder
	for _, cell := range details.Next {
		b.WriteString("next: " + cell.Text + "\n")
	}
	for _, step := range details.Timeline {
		b.WriteString(strings.Join([]string{step.At.UTC().Format(time.TimeOnly), step.From.Text, step.To.Text, step.Why, step.Note}, "|") + "\n")
	}
	for _, field := range details.Fields(false) {
		for _, cell := range field.Cells {
			b.WriteString(field.Label + ": " + cell.Text + "\n")
		}
	}
	return b.String()
}

func TestDetailsOfATransfer(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	h := &history{transfer: payments.Transfer{
		ID: "trf_1", State: payments.TransferStateRefunded, DestinationSavedContactID: "sct_1", AccountID: "acc_1", Reference: "invoice-42",
		Source: side("5.00", "USDC"), Destination: side("4.05", "EUR"), ReturnCode: new("AC04"), Metadata: payments.Metadata{"order": "7"},
		Refund:    &payments.Refund{Amount: payments.MustDecimal("5.00"), Currency: "USDC", Reason: "AC04", CompletedAt: new(start.Add(3 * time.Minute))},
		CreatedAt: start, UpdatedAt: start.Add(3 * time.Minute),
	}}
	from, code := "", ""
	for i, state := range []string{"awaiting_funds", "payment_processed", "returned", "refunded"} {
		e := payments.Event{
			ID: state, Type: payments.EventTypeTransferStateChanged, SubjectID: "trf_1", To: new(state), OccurredAt: start.Add(time.Duration(i) * time.Minute),
		}
		if i == 0 {
			e.Type = payments.EventTypeTransferCreated
		} else {
			e.From = new(from)
		}
		if state == "returned" {
			code = "AC04"
		}
		e.Data.ReturnCode = code
		from = state
		h.events = append(h.events, e)
	}
	now := func() time.Time { return start.Add(time.Hour) }
	details, err := liveDetails(t.Context(), h, live.Row{ID: "trf_1"}, now)
	require.NoError(t, err)
	require.False(t, details.Incomplete)
	text := shown(details)
	require.True(t, strings.HasPrefix(text, `next: Nothing: the money was sent back to its source.
03:00:00||awaiting_funds||
03:01:00|awaiting_funds|payment_processed||
03:02:00|payment_processed|returned|The account is closed. (AC04)|
03:03:00|returned|refunded||
`), text)
	for _, want := range []string{
		"Sends: 5.00 USDC", "Contact: sct_1", "Contact: Landlord", "Metadata: order=7", "Returned because: The account is closed. (AC04)",
		"Refund: 5.00 USDC, back since 2026-01-02 03:03:00Z", "Reference: invoice-42",
	} {
		require.Contains(t, text, want+"\n")
	}
	require.NotContains(t, text, "State:", "the heading has it")

	// A token that may read neither contacts nor events.
	h.noMore = true
	details, err = liveDetails(t.Context(), h, live.Row{ID: "trf_1"}, now)
	require.NoError(t, err)
	require.True(t, details.Incomplete)
	require.Contains(t, shown(details), "\n03:00:00||||the transfer was created\n03:03:00||refunded|The account is closed. (AC04)|\n")
}

func TestWhatComesNext(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	by := now.Add(time.Hour)
	deposit := &payments.DepositInstructions{}
	deposit.Amount, deposit.Currency, deposit.PaymentRail = new(payments.MustDecimal("5.00")), "USDC", "base"
	refund := &payments.Refund{Amount: payments.MustDecimal("5.00"), Currency: "USDC"}
	arrives := "The money should arrive by 1970-01-01 01:00:00Z (in 1h00m)."
	for _, c := range []struct {
		transfer payments.Transfer
		want     []string
		tone     ui.Tone
	}{
		{payments.Transfer{State: "awaiting_funds", DepositInstructions: deposit, ExpectedSettlementAt: &by}, []string{
			"The payer sends the deposit of 5.00 USDC by base. Without it the transfer expires; until it arrives the transfer can be canceled."}, ui.Applicant},
		{payments.Transfer{State: "in_review", ExpectedSettlementAt: &by}, []string{"Staff decides whether the deposit is accepted.", arrives}, ui.Staff},
		{payments.Transfer{State: "payment_submitted", ExpectedSettlementAt: &by}, []string{"The beneficiary's bank receives the money.", arrives}, ui.Provider},
		{payments.Transfer{State: "returned", Refund: refund}, []string{"The service sends 5.00 USDC back."}, ui.Provider},
		{payments.Transfer{State: "failed"}, []string{"Nothing: no money has arrived that could be sent back."}, ui.Plain},
		{payments.Transfer{State: "unheard_of"}, []string{"This payctl does not know the state unheard_of."}, ui.Plain},
	} {
		cells := next(c.transfer, now)
		require.Len(t, cells, len(c.want), c.transfer.State)
		for i, want := range c.want {
			require.Equal(t, want, cells[i].Text)
		}
		require.Equal(t, c.tone, cells[0].Tone, c.transfer.State)
	}
	for _, state := range []payments.TransferState{
		payments.TransferStateAwaitingFunds, payments.TransferStateInReview, payments.TransferStateFundsReceived,
		payments.TransferStatePaymentSubmitted, payments.TransferStatePaymentProcessed, payments.TransferStateUndeliverable,
		payments.TransferStateReturned, payments.TransferStateRefunded, payments.TransferStateCanceled, payments.TransferStateExpired,
		payments.TransferStateFailed,
	} {
		require.NotContains(t, next(payments.Transfer{State: state}, now)[0].Text, "does not know", state)
	}
}
