package transfer

import (
	"cmp"
	"context"
	"slices"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// waitForState waits for the state of --wait and prints the transfer with the state that it then has. The transfer is
// printed also if the wait fails, since it has been created.
func (o *autoOptions) waitForState(
	ctx context.Context, d *cmdutil.Deps, printer *ui.Printer, service payments.Service, transfer payments.Transfer,
) error {
	kind := kindOf(service)
	engine := follow.Engine{
		Service: service, Subjects: kind.Subjects, IDs: []string{transfer.ID}, Interval: o.interval,
		Goal: follow.Goal{Wanted: []string{o.wait}, CanReach: kind.CanReach, HasPassed: kind.HasPassed},
		Each: func(c follow.Change) error {
			d.Notef("%s %s", c.ID, c.Status)
			return nil
		},
		Trouble: d.Trouble, Recovered: d.Recovered,
	}
	last := transfer
	err := cmdutil.RunWithTimeout(ctx, o.timeout, func(ctx context.Context) error {
		summary, err := engine.Run(ctx)
		last = latest(ctx, service, transfer, summary, err)
		if err == nil && len(summary.Failed) > 0 {
			failed := cmdutil.Subject{ID: last.ID, Status: summary.Failed[0].Status, Reason: failure(last)}
			err = cmdutil.WatchFailed(o.wait, []cmdutil.Subject{failed})
		}
		return err
	}, func() error {
		return cmdutil.WaitTimedOut(o.timeout, []cmdutil.Subject{{ID: last.ID, Status: string(last.State)}}, o.wait, nil).
			WithHint(shell.Hint("payctl transfer watch --until STATE -- TRANSFER", // the same line again may create another
				shell.Values{"STATE": o.wait, "TRANSFER": last.ID}))
	})
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

// latest returns the transfer when a watch of it has ended. It is read again if its state has changed, unless the
// watch ended with an error.
func latest(
	ctx context.Context, service payments.Service, created payments.Transfer, s follow.Summary, watchErr error,
) payments.Transfer {
	state := created.State
	for _, one := range slices.Concat(s.Reached, s.Failed, s.Waiting) {
		state = payments.TransferState(cmp.Or(one.Status, string(state)))
	}
	if state == created.State {
		return created
	}
	if watchErr == nil {
		if read, err := service.GetTransfer(ctx, created.ID, payments.ReadOptions{}); err == nil {
			return read.Value
		}
	}
	created.State = state
	return created
}
