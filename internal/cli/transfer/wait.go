package transfer

import (
	"cmp"
	"context"
	"slices"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// waitForState waits for the state of --wait and prints the transfer with the state that it then has. The transfer is
// printed also if the wait fails, since it has been created.
func (o *autoOptions) waitForState(
	ctx context.Context, d *invocation.Deps, printer *ui.Printer, service payments.Service, transfer payments.Transfer,
) error {
	// The same line again may create another transfer.
	resume := shell.Hint("payctl transfer watch --until STATE -- TRANSFER",
		shell.Values{"STATE": o.wait.Until(), "TRANSFER": transfer.ID})
	summary, err := o.wait.Run(ctx, d, service, watchui.Created{
		Kind: watchui.Transfers(service), IDs: []string{transfer.ID}, Resume: resume,
	})
	last := latest(ctx, service, transfer, summary, err == nil || exit.IsKind(err, exit.KindWatchFailed))
	if err == nil && last.State == payments.TransferStatePaymentProcessed {
		d.Notef("%s", d.WithServiceFlags(shell.Hint("The bank can still return the money. To wait for that: "+
			"payctl transfer watch --until returned --timeout 72h -- TRANSFER", shell.Values{"TRANSFER": last.ID})))
	}
	printer = printer.With(context.WithoutCancel(ctx))
	if printing := printer.Print(last, func() ui.View { return details(last) }); err == nil {
		err = printing
	}
	return err
}

// latest returns the transfer when a watch of it has ended. It is read again if its state has changed and the watch
// came to its end.
func latest(
	ctx context.Context, service payments.Service, created payments.Transfer, s follow.Summary, ended bool,
) payments.Transfer {
	state := created.State
	for _, one := range slices.Concat(s.Reached, s.Failed, s.Waiting) {
		state = payments.TransferState(cmp.Or(one.Status, string(state)))
	}
	if state == created.State {
		return created
	}
	if ended {
		if read, err := service.GetTransfer(ctx, created.ID, payments.ReadOptions{}); err == nil {
			return read.Value
		}
	}
	created.State, created.Document = state, nil // which has the state before
	return created
}
