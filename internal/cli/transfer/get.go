package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "get TRANSFER",
		Short:   "Show one transfer",
		Example: "  payctl transfer get trf_01kdwcj4jg9etbjcny9kh6prep",
		Args:    deps.Args("TRANSFER"),
		RunE:    func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0]) },
	}
}

func get(ctx context.Context, d *deps.Deps, transferID string) error {
	_, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.Transfer, error) {
		reading, err := s.GetTransfer(ctx, transferID, payments.Condition{})
		return reading.Value, err
	}, details)
	return err
}
