// Package sandbox is `payctl sandbox`.
package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	cmd := deps.Group("sandbox", "Drive a reference service: its clock, outcomes and faults",
		newClock(d), newKYC(d), newTransfer(d), newDeposit(d),
		newReset(d), newSnapshot(d), newRestore(d))
	cmd.Long = `Drive a reference service, such as payctl serve runs: its clock, what comes of identity checks and transfers, and what goes
wrong. It is about the world of the client that is logged in; other clients of the service notice nothing.

A service that is no reference service is not asked for any of this: the exit code is 2, and nothing was changed.`
	return cmd
}

// show prints one thing that the sandbox is asked for. How to print it is settled before the sandbox is asked.
func show[T any](ctx context.Context, d *deps.Deps, ask func(payments.Sandbox) (T, error), view func(T) term.Details) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	sandbox, err := d.Sandbox()
	if err != nil {
		return err
	}
	value, err := ask(sandbox)
	if err != nil {
		return err
	}
	return printer.Print(value, func() term.View { return view(value) })
}

// field is a line of details.
func field(label string, cells ...term.Cell) term.Field {
	return term.Field{Label: label, Cells: cells}
}
