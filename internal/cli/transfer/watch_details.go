package transfer

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveDetails reads everything about a transfer, with three requests: the transfer, the label of its contact, and its
// events. Without the latter two there is less to show: not every token may read them.
func liveDetails(
	ctx context.Context, service payments.Service, row live.Row, now func() time.Time,
) (live.Details, error) {
	var (
		reads    sync.WaitGroup
		events   []payments.Event
		complete bool
	)
	reads.Go(func() {
		var err error
		if events, complete, err = follow.Timeline(ctx, service, row.ID); err != nil {
			events, complete = nil, false
		}
	})
	read, err := service.GetTransfer(ctx, row.ID, payments.ReadOptions{})
	fields := details(read.Value)
	if err == nil {
		contact, failed := service.GetSavedContact(ctx, read.Value.DestinationSavedContactID, payments.ReadOptions{})
		if i := slices.IndexFunc(fields, func(f ui.Field) bool { return f.Label == contactLabel }); failed == nil && i >= 0 {
			fields[i].Cells = append(fields[i].Cells, ui.Text(contact.Value.Label))
		}
	}
	reads.Wait()
	isInHeading := func(f ui.Field) bool {
		return f.Label == transferLabel || f.Label == stateLabel || f.Label == turnLabel
	}
	fields = slices.DeleteFunc(fields, isInHeading)
	return live.Details{
		Fields: func(bool) ui.Details { return fields }, Next: next(read.Value, now()),
		Timeline: timeline(read.Value, events), Incomplete: !complete,
	}, err
}

// timeline returns what has happened to a transfer, oldest first. Where the event feed does not have it, its creation
// and its present state are known. A reason is shown where it appears first: later events repeat it.
func timeline(t payments.Transfer, events []payments.Event) (steps []live.Step) {
	known := ""
	add := func(at time.Time, from, to string, codes ...string) {
		step := live.Step{At: at, To: cmdutil.TransferState(payments.TransferState(to))}
		if from != "" {
			step.From = cmdutil.TransferState(payments.TransferState(from))
		}
		for _, code := range codes {
			if code != "" && code != known {
				step.Why, known = payments.TransferReason(code).Text(), code
			}
		}
		steps = append(steps, step)
	}
	for _, e := range events {
		add(e.OccurredAt, cmdutil.Text(e.From), cmdutil.Text(e.To), e.Data.FailureReason, e.Data.ReturnCode)
	}
	if len(steps) == 0 {
		steps = append(steps, live.Step{At: t.CreatedAt, Note: "the transfer was created"})
	}
	if steps[len(steps)-1].To.Text != string(t.State) {
		add(t.UpdatedAt, "", string(t.State), cmdutil.Text(t.FailureReason), cmdutil.Text(t.ReturnCode))
	}
	return steps
}

// next says what comes next and by when, and who does it.
func next(t payments.Transfer, now time.Time) []ui.Cell {
	tone := ui.Plain
	var text string
	switch t.State {
	case payments.TransferStateAwaitingFunds:
		tone, text = ui.Applicant, "You, or the payer, send the deposit"
		if d := t.DepositInstructions; d != nil && d.Amount != nil {
			text += " of " + cmdutil.Money(d.Amount, d.Currency) + " by " + d.PaymentRail
		}
		text += ". Without it the transfer expires; until it arrives the transfer can be canceled."
	case payments.TransferStateInReview:
		tone, text = ui.Staff, "A reviewer decides whether the deposit is accepted."
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
			tone, text = ui.Provider, "The service sends "+cmdutil.Money(&t.Refund.Amount, t.Refund.Currency)+" back."
		}
	default:
		text = "This payctl does not know the state " + string(t.State) + "."
	}
	cells := []ui.Cell{ui.Toned(tone, text)}
	if by := t.ExpectedSettlementAt; by != nil && (tone == ui.Staff || tone == ui.Provider) {
		cells = append(cells, ui.Text("The money should arrive by "+cmdutil.Time(*by)+" ("+expected(*by, now).Text+")."))
	}
	return cells
}
