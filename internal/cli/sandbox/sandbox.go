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
	cmd.Long = `Control a reference service, such as payctl serve runs: its clock, the outcomes of identity checks and
transfers, and faults. Every command is about the sandbox of the client that is logged in, and of no other.

For any other service the commands end with exit code 2 and change nothing.`
	return cmd
}

// show calls the sandbox and prints the result.
func show[T any](
	ctx context.Context, d *cmdutil.Deps, call func(payments.Sandbox) (T, error), view func(T) ui.Details,
) error {
	connect := func() (payments.Sandbox, error) { return d.Client() }
	_, err := cmdutil.PrintOne(ctx, d, connect, call, view)
	return err
}

func newOpen(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "open",
		Short: "Print a link to the page of the client's sandbox",
		Long: `Print a link to the page of the client's sandbox: its requests as they come, accounts, transfers and
clock. Open it in a browser. The link has a token for this page, which works until the service ends.
This command starts no browser itself, since other users of the machine could read the link in the
list of processes.`,
		Example: "  payctl sandbox open --jq .url",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), d, func(s payments.Sandbox) (payments.SandboxPage, error) {
				found, err := s.ListSandboxPages(cmd.Context())
				if err == nil && len(found.Pages) == 0 {
					err = cmdutil.Usage("the service has no page: it has one only where no other machine reaches it")
				}
				return append(found.Pages, payments.SandboxPage{})[0], err
			}, func(p payments.SandboxPage) ui.Details {
				return append(cmdutil.Field("Client", p.ClientID), cmdutil.Field("Page", p.URL)...)
			})
		},
	}
}
