package kyc

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "get ACCOUNT",
		Short: "Show an account's identity check: status, reasons and what is wanted",
		Example: `  payctl kyc get acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl kyc get acc_01kdwcj2m07dx6vaehz84r9gfw -o json | jq -r .status`,
		Args: deps.Args("ACCOUNT"),
		RunE: func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0]) },
	}
}

func get(ctx context.Context, d *deps.Deps, accountID string) error {
	_, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.KYC, error) {
		reading, err := s.GetKYCStatus(ctx, accountID, payments.Condition{})
		return reading.Value, err
	}, details)
	return err
}
