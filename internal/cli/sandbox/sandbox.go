// Package sandbox holds the commands of payctl sandbox.
package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command payctl sandbox.
func New(d *cmdutil.Deps) *cobra.Command {
	cmd := cmdutil.Group("sandbox", "Control a reference service: its clock, outcomes and faults",
		newTrigger(d), newClock(d), newKYC(d), newTransfer(d), newDeposit(d),
		newFaults(d), newRequests(d), newReset(d), newSnapshot(d), newRestore(d), newOpen(d))
	cmd.Long = `Control a reference service, such as payctl serve runs: its clock, the outcomes of identity checks and transfers, and faults.
Every command is about the world of the client that is logged in. It does not affect other clients of the service.

For any other service the commands end with exit code 2 and change nothing.`
	return cmd
}

// show calls the sandbox and prints the result. Output options that are wrong are reported before the call.
func show[T any](
	ctx context.Context, d *cmdutil.Deps, call func(payments.Sandbox) (T, error), view func(T) ui.Details,
) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	sandbox, err := d.Sandbox()
	if err != nil {
		return err
	}
	value, err := call(sandbox)
	if err != nil {
		return err
	}
	return printer.Print(value, func() ui.View { return view(value) })
}

// newSimple returns a command without arguments that makes one call and prints the result.
func newSimple[T any](
	d *cmdutil.Deps, use, short, example string,
	call func(payments.Sandbox, context.Context) (T, error), view func(T) ui.Details,
) *cobra.Command {
	return &cobra.Command{
		Use:     use,
		Short:   short,
		Example: "  " + example,
		Args:    cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), d, func(s payments.Sandbox) (T, error) { return call(s, cmd.Context()) }, view)
		},
	}
}

// optional takes one argument of a name, or none.
func optional(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return cmdutil.Args(name)(cmd, args)
	}
}

// field returns a line of details.
func field(label string, cells ...ui.Cell) ui.Field {
	return ui.Field{Label: label, Cells: cells}
}
