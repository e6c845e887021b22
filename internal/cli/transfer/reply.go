package transfer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// inWords are the states as a person without knowledge of the service understands them.
var inWords = map[payments.TransferState]string{
	payments.TransferStateAwaitingFunds:    "is waiting for your payment",
	payments.TransferStateInReview:         "is being reviewed by a person",
	payments.TransferStateFundsReceived:    "has been funded, and is on its way",
	payments.TransferStatePaymentSubmitted: "has been handed to the bank of the recipient",
	payments.TransferStatePaymentProcessed: "has arrived",
	payments.TransferStateFailed:           "has failed",
	payments.TransferStateCanceled:         "was cancelled",
	payments.TransferStateExpired:          "has expired, because no payment arrived in time",
	payments.TransferStateReturned:         "was sent back by the bank of the recipient",
	payments.TransferStateUndeliverable:    "could not be delivered",
	payments.TransferStateRefunded:         "was refunded",
}

// reply writes what a payer is told about a transfer. It has no personal data.
func reply(t payments.Transfer) string {
	var b strings.Builder
	state := cmp.Or(inWords[t.State], "has the state "+ui.Sanitize(string(t.State)))
	what := "your transfer " + t.ID
	if t.Source.Amount != nil {
		what += " of " + cmdutil.Money(t.Source.Amount, t.Source.Currency)
	}
	if t.Reference != "" {
		what += " (" + t.Reference + ")"
	}
	since := cmdutil.LongDate(t.UpdatedAt)
	fmt.Fprintf(&b, "Hello,\n\n%s %s, since %s.\n", ui.Sanitize(what), state, since)
	for _, code := range []*string{t.FailureReason, t.ReturnCode} {
		if text := cmdutil.Text(code); text != "" {
			reason := ui.Sanitize(payments.TransferReason(text).Message)
			b.WriteString("\nThe reason: " + payments.Sentence(reason) + "\n")
		}
	}
	if t.Refund != nil {
		refund := cmdutil.Money(&t.Refund.Amount, t.Refund.Currency)
		b.WriteString("\nThe amount of " + ui.Sanitize(refund) + " goes back to you.\n")
	}
	if t.ExpectedSettlementAt != nil && !t.State.Settled() {
		b.WriteString("\nWe expect it to arrive by " + cmdutil.LongDate(*t.ExpectedSettlementAt) + ".\n")
	}
	b.WriteString("\nKind regards\n")
	return b.String()
}
