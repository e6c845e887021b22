package transfer

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveDetails reads everything about a transfer, with three requests: the transfer, the label of its contact, and its
// events. Without the latter two there is less to show: not every token may read them.
func liveDetails(ctx context.Context, service payments.Service, id string) (show func(live.Moment) ui.Details, err error) {
	var reads sync.WaitGroup
	var events []payments.Event
	reads.Go(func() { events = follow.Timeline(ctx, service, id) })
	read, err := service.GetTransfer(ctx, id)
	t := read.Value
	fields, head := Details(t), 2 // the transfer and its state
	if t.State.Turn().NeedsPerson() {
		head++ // whose turn it is
	}
	if err == nil {
		contact, failed := service.GetSavedContact(ctx, t.DestinationSavedContactID)
		if i := slices.IndexFunc(fields, func(f ui.Field) bool { return f.Label == contactLabel }); failed == nil && i >= 0 {
			fields[i].Cells = append(fields[i].Cells, ui.Text(contact.Value.Label))
		}
	}
	reads.Wait()
	return func(at live.Moment) ui.Details {
		cmdutil.InZone(fields, at.Now.Location())
		return slices.Concat(fields[:head], ui.Details{{Label: "Next", Cells: next(t, at.Now)}, {}},
			watchui.Transfers.Timeline(events, watchui.StateOfTransfer(t), at.Now), ui.Details{{}}, fields[head:])
	}, err
}

var nextOf = map[payments.TransferState]string{
	payments.TransferStateAwaitingFunds: "You, or the payer, send the deposit. Without it the transfer expires; until it " +
		"arrives the transfer can be canceled.",
	payments.TransferStateInReview:         "A reviewer decides whether the deposit is accepted.",
	payments.TransferStateFundsReceived:    "The service submits the payment to the beneficiary.",
	payments.TransferStatePaymentSubmitted: "The beneficiary's bank receives the money.",
	payments.TransferStatePaymentProcessed: "Nothing: the money has arrived. A bank can still return it.",
	payments.TransferStateRefunded:         "Nothing: the money was sent back to its source.",
	payments.TransferStateCanceled:         "Nothing: it was canceled before its deposit arrived.",
	payments.TransferStateExpired:          "Nothing: no deposit arrived in time.",
	payments.TransferStateUndeliverable:    "Nothing: no money has arrived that could be sent back.",
	payments.TransferStateReturned:         "Nothing: no money has arrived that could be sent back.",
	payments.TransferStateFailed:           "Nothing: no money has arrived that could be sent back.",
}

// next says what comes next and by when, and who does it.
func next(t payments.Transfer, now time.Time) []ui.Cell {
	text := cmp.Or(nextOf[t.State], "This payctl does not know the state "+string(t.State)+".")
	if t.Refund != nil && t.State != payments.TransferStateRefunded {
		text = "The service sends " + cmdutil.Money(&t.Refund.Amount, t.Refund.Currency) + " back."
	}
	cells := []ui.Cell{ui.Toned(cmdutil.TransferState(t.State).Tone, text)}
	if by := watchui.StateOfTransfer(t).Until; !by.IsZero() {
		cells = append(cells, ui.Text("The money should arrive by "+cmdutil.TimeIn(by, now.Location())+" ("+live.Left(by, now)+")."))
	}
	return cells
}
