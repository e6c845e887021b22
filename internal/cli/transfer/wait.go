package transfer

import (
	"context"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// waitForState waits for the state of --wait and prints the transfer with the state that it then has. It is printed also
// if the wait fails, since it has been created; as it was then if it cannot be read any more.
func (o *autoOptions) waitForState(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, service *outbox.Outbox, write *outbox.Write, transfer payments.Transfer,
) error {
	// The same line again may create another transfer.
	resume := shell.Payctl("transfer watch --until", o.wait.Until, "--", transfer.ID)
	_, err := o.wait.Run(ctx, d, service, watchui.Created{
		IDs: []string{transfer.ID}, List: watchui.ListTransfers(service, payments.TransferFilter{}), Resume: resume,
	})
	last := transfer
	read, failed := service.GetTransfer(ctx, transfer.ID)
	if failed == nil {
		last, failed = read.Value, service.CheckShown(write, read.Value)
	}
	if err == nil { // what was followed is ours only if it shows nothing else
		err = failed
	}
	if err == nil && last.State == payments.TransferStatePaymentProcessed {
		d.Notef("The bank can still return the money. To wait for that: %s",
			d.NextStep(shell.Payctl("transfer watch --until returned --timeout 72h --", last.ID)))
	}
	printer = printer.With(context.WithoutCancel(ctx))
	if printing := printer.Print(last, func() ui.Details { return Details(last) }); err == nil {
		err = printing
	}
	return err
}
