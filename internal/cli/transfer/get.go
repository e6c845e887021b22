package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
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
	service, err := d.Payments()
	if err != nil {
		return err
	}
	reading, err := service.GetTransfer(ctx, transferID, payments.Condition{})
	if err != nil {
		return err
	}
	return d.Print(ctx, reading.Value, func() term.View { return details(reading.Value) })
}
