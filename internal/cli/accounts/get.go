package accounts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "get ACCOUNT",
		Short:   "Show one account",
		Example: "  payctl accounts get acc_01kdwcj2m07dx6vaehz84r9gfw",
		Args:    deps.Args("ACCOUNT"),
		RunE:    func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0]) },
	}
}

func get(ctx context.Context, d *deps.Deps, accountID string) error {
	_, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.Account, error) {
		return s.GetAccount(ctx, accountID)
	}, details)
	return err
}
