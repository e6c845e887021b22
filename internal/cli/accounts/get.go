package accounts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	pii := false
	cmd := &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show one account",
		Long:  "Show one account. Personal data is masked in every output format. --show-pii shows it.",
		Example: `  payctl accounts get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl accounts get acc_01kdwcj2m07dx6vaehz84r9gfw --show-pii -o json`,
		Args: cmdutil.Args("ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := cmdutil.PrintOne(cmd.Context(), d, func(s payments.Service) (payments.Account, error) {
				read, err := s.GetAccount(cmd.Context(), args[0], payments.ReadOptions{})
				return shown(read.Value, pii), err
			}, details)
			return err
		},
	}
	cmdutil.AddShowPII(d, cmd, &pii)
	return cmd
}
