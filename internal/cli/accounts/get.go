package accounts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	pii := false
	cmd := &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show one account",
		Long: `Show one account, by its id, your own id of it, or its e-mail address. Personal data is masked in
every output format without --show-pii.`,
		Example: `  payctl accounts get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl accounts get ada@example.com --show-pii -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			_, err := cmdutil.PrintOne(ctx, d, d.Payments, func(s payments.Service) (account payments.Account, err error) {
				err = resource.ByAccountName(ctx, s, args[0], func(id string) error {
					read, err := s.GetAccount(ctx, id)
					account = shown(read.Value, pii)
					return err
				})
				return account, err
			}, resource.Accounts.Details)
			return err
		},
	}
	cmdutil.AddShowPII(cmd, &pii)
	return cmd
}
