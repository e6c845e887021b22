package transfer

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveDetails reads everything about a transfer, with three requests: the transfer, the label of its contact, and its
// events. Without the latter two there is less to show: not every token may read them.
func liveDetails(
	ctx context.Context, kind watchui.Kind, service payments.Service, id string,
) (show func(live.Moment) ui.Details, err error) {
	var reads sync.WaitGroup
	var events []payments.Event
	reads.Go(func() { events, _ = follow.Timeline(ctx, service, id) })
	read, err := service.GetTransfer(ctx, id, payments.ReadOptions{})
	t := read.Value
	fields, head := details(t), 2 // the transfer and its state
	if t.State.Turn().NeedsPerson() {
		head++ // whose turn it is
	}
	if err == nil {
		contact, failed := service.GetSavedContact(ctx, t.DestinationSavedContactID, payments.ReadOptions{})
		if i := slices.IndexFunc(fields, func(f ui.Field) bool { return f.Label == contactLabel }); failed == nil && i >= 0 {
			fields[i].Cells = append(fields[i].Cells, ui.Text(contact.Value.Label))
		}
	}
	reads.Wait()
	return func(at live.Moment) ui.Details {
		return slices.Concat(fields[:head], ui.Details{{Label: "Next", Cells: next(t, at.Now)}, {}},
			kind.Timeline(events, watchui.StateOfTransfer(t), at.Now), ui.Details{{}}, fields[head:])
	}, err
}

// next says what comes next and by when, and who does it.
func next(t payments.Transfer, now time.Time) []ui.Cell {
	tone := ui.Plain
	var text string
	switch t.State {
	case payments.TransferStateAwaitingFunds:
		tone, text = ui.Applicant, "You, or the payer, send the deposit"
		if d := t.DepositInstructions; d != nil && d.Amount != nil {
			text += " of " + display.Money(d.Amount, d.Currency) + " by " + d.PaymentRail
		}
		text += ". Without it the transfer expires; until it arrives the transfer can be canceled."
	case payments.TransferStateInReview:
		tone, text = ui.Reviewer, "A reviewer decides whether the deposit is accepted."
	case payments.TransferStateFundsReceived:
		tone, text = ui.Provider, "The service submits the payment to the beneficiary."
	case payments.TransferStatePaymentSubmitted:
		tone, text = ui.Provider, "The beneficiary's bank receives the money."
	case payments.TransferStatePaymentProcessed:
		tone, text = ui.Good, "Nothing: the money has arrived. A bank can still return it."
	case payments.TransferStateRefunded:
		text = "Nothing: the money was sent back to its source."
	case payments.TransferStateCanceled:
		text = "Nothing: it was canceled before its deposit arrived."
	case payments.TransferStateExpired:
		text = "Nothing: no deposit arrived in time."
	case payments.TransferStateUndeliverable, payments.TransferStateReturned, payments.TransferStateFailed:
		text = "Nothing: no money has arrived that could be sent back."
		if t.Refund != nil {
			tone, text = ui.Provider, "The service sends "+display.Money(&t.Refund.Amount, t.Refund.Currency)+" back."
		}
	default:
		text = "This payctl does not know the state " + string(t.State) + "."
	}
	cells := []ui.Cell{ui.Toned(tone, text)}
	if by := t.ExpectedSettlementAt; by != nil && (tone == ui.Reviewer || tone == ui.Provider) {
		cells = append(cells, ui.Text("The money should arrive by "+display.Time(*by)+" ("+live.Left(*by, now)+")."))
	}
	return cells
}
