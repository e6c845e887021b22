package transfer

import (
	"cmp"
	"context"
	"slices"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

// follow waits for the state of --wait and prints the transfer as it then is. However the wait ends, the transfer that
// was created is printed.
func (o *autoOptions) follow(ctx context.Context, d *deps.Deps, printer *term.Printer, service payments.Service, transfer payments.Transfer) error {
	kind := kindOf(service)
	engine := watch.Engine{
		Service: service, Subjects: kind.Watch, IDs: []string{transfer.ID}, Interval: o.interval,
		Goal: watch.Goal{Wanted: []string{o.wait}, CanReach: kind.CanReach, HasPassed: kind.HasPassed},
		Each: func(c watch.Change) error {
			d.Notef("%s %s", c.ID, c.Status)
			return nil
		},
		Trouble: d.Trouble, Recovered: d.Recovered,
	}
	last := transfer
	err := deps.Within(ctx, o.timeout, func(ctx context.Context) error {
		summary, err := engine.Run(ctx)
		last = latest(ctx, service, transfer, summary, err)
		if err == nil && len(summary.Badly) > 0 {
			err = &deps.EndedBadly{Subject: last.ID, State: summary.Badly[0].Status, Reason: failure(last)}
		}
		return err
	}, func() error {
		return &deps.Hinted{
			Err:  &deps.WaitTimeout{Subject: last.ID, State: string(last.State), Waited: o.timeout.String()},
			Next: "payctl transfer watch " + last.ID + " --until " + o.wait, // the same line again may create another
		}
	})
	if printing := printer.With(context.WithoutCancel(ctx)).Print(last, func() term.View { return details(last) }); err == nil {
		err = printing
	}
	return err
}

// latest is the transfer as it was when a watch of it ended: read again, unless it did not change, or the watch ended
// before its time.
func latest(ctx context.Context, service payments.Service, created payments.Transfer, s watch.Summary, ended error) payments.Transfer {
	state := created.State
	for _, one := range slices.Concat(s.Reached, s.Badly, s.Waiting) {
		state = payments.TransferState(cmp.Or(one.Status, string(state)))
	}
	if state == created.State {
		return created
	}
	if ended == nil {
		if reading, err := service.GetTransfer(ctx, created.ID, payments.Condition{}); err == nil {
			return reading.Value
		}
	}
	created.State = state
	return created
}
