package transfer

import (
	"context"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/watch"
)

// follow waits for the state of --wait and prints the transfer as it then is. However the wait ends, the transfer that
// was created is printed.
func (o *autoOptions) follow(ctx context.Context, d *deps.Deps, printer *term.Printer, service payments.Service, transfer payments.Transfer) error {
	d.Notef("%s %s", transfer.ID, transfer.State)
	last := transfer
	w := watch.Watch[payments.Transfer]{
		Interval: o.interval,
		Read: func(ctx context.Context, since payments.Condition) (payments.Reading[payments.Transfer], error) {
			return service.GetTransfer(ctx, transfer.ID, since)
		},
		Each: func(t payments.Transfer) (bool, error) {
			if t.State != last.State {
				d.Notef("%s %s", t.ID, t.State)
			}
			last = t
			return reached(t, payments.TransferState(o.wait))
		},
		Trouble:   func(err error) { d.Warnf("The service does not answer; trying again: %v", err) },
		Recovered: func() { d.Notef("The service answers again.") },
	}
	err := deps.Within(ctx, o.timeout, w.Run, func() error {
		return &deps.WaitTimeout{Subject: last.ID, State: string(last.State), Waited: o.timeout.String()}
	})
	if printing := printer.With(context.WithoutCancel(ctx)).Print(last, func() term.View { return details(last) }); err == nil {
		err = printing
	}
	return err
}

// reached says whether a transfer has come to a state, has passed it, or will not come to it any more.
func reached(t payments.Transfer, wanted payments.TransferState) (done bool, err error) {
	if t.State == wanted || t.State.Settled() && !wanted.Failed() {
		return true, nil
	}
	if t.State.Failed() {
		return true, &deps.EndedBadly{Subject: t.ID, State: string(t.State), Reason: failure(t)}
	}
	return false, nil
}
