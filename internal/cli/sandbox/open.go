package sandbox

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newOpen(d *cmdutil.Deps) *cobra.Command {
	cmd := newSimple(d, "open", "Print a link to the page of the client's world", "payctl sandbox open --jq .url",
		func(s payments.Sandbox, ctx context.Context) (payments.SandboxPage, error) {
			found, err := s.ListSandboxPages(ctx)
			if err == nil && len(found.Pages) == 0 {
				err = cmdutil.Usage("the service has no page: it has one only where no other machine reaches it")
			}
			if err != nil {
				return payments.SandboxPage{}, err
			}
			return found.Pages[0], nil
		}, func(p payments.SandboxPage) ui.Details {
			return ui.Details{field("Client", ui.Text(p.ClientID)), field("Page", ui.Text(p.URL))}
		})
	cmd.Long = `Print a link to the page of the client's world: its requests as they come, accounts, transfers and clock. Open it in a browser.

The link has a token for this page, which works until the service ends. This command starts no browser itself, since other
users of the machine could read the link in the list of processes.`
	return cmd
}
