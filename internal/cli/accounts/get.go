package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *deps.Deps) *cobra.Command {
	pii := false
	cmd := &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show one account",
		Long:  "Show one account. Personal data is masked in every form of output, unless --show-pii is given.",
		Example: `  payctl accounts get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl accounts get acc_01kdwcj2m07dx6vaehz84r9gfw --show-pii -o json`,
		Args: deps.Args("ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0], pii) },
	}
	deps.AddShowPII(d, cmd, &pii)
	return cmd
}

func get(ctx context.Context, d *deps.Deps, accountID string, pii bool) error {
	_, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.Account, error) {
		account, err := s.GetAccount(ctx, accountID)
		return shown(account, pii), err
	}, details)
	return err
}
