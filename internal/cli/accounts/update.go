package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

func newUpdate(d *cmdutil.Deps) *cobra.Command {
	var update resource.Update
	pii := false
	cmd := &cobra.Command{
		Use:   "update ACCOUNT",
		Short: "Change an account, unless someone else has changed it meanwhile",
		Long: `Change an account, and print it as it is then. Names, birth date, country, address and numbers can
be changed until the identity check is decided.

The account is read first, and changed only if it is still the same when the change arrives:
otherwise the exit code is 6. If the outcome is unknown, run the line again.`,
		Example: `  payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --email ada@example.com --set phoneNumber=+442079460000
  payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --metadata team=ops --clear metadata.note,externalId
  echo '{"address":{"line2":null}}' | payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --input -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUpdate(cmd.Context(), d, &update, args[0], pii)
		},
	}
	resource.UpdateFlags(resource.Accounts, cmd, &update)
	cmdutil.AddShowPII(cmd, &pii)
	return cmd
}

func runUpdate(ctx context.Context, d *cmdutil.Deps, update *resource.Update, accountID string, pii bool) error {
	return resource.RunUpdate(ctx, d, update, resource.Updatable[payments.Account]{
		What: "account", ID: accountID, Table: resource.Accounts,
		Show: shell.Payctl("accounts get --", accountID).With("what it is now"),
		Read: payments.Service.GetAccount, Write: payments.Service.UpdateAccount,
		Mask: func(a payments.Account) payments.Account { return shown(a, pii) },
	})
}
