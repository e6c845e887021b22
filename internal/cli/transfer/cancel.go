package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

func newCancel(d *deps.Deps) *cobra.Command {
	key := deps.Key{}
	cmd := &cobra.Command{
		Use:     "cancel TRANSFER",
		Short:   "Cancel a transfer that still awaits its funds",
		Example: "  payctl transfer cancel trf_01kdwcj4jg9etbjcny9kh6prep",
		Args:    deps.Args("TRANSFER"),
		RunE:    func(cmd *cobra.Command, args []string) error { return cancel(cmd.Context(), d, &key, args[0]) },
	}
	key.AddTo(cmd)
	return cmd
}

func cancel(ctx context.Context, d *deps.Deps, key *deps.Key, transferID string) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	idempotency := key.Idempotency(d)
	if !key.Given() {
		idempotency = deps.ReferenceKey("cancelTransfer", transferID) // canceling twice is canceling once
	}
	written, err := service.CancelTransfer(ctx, transferID, idempotency)
	if err != nil {
		return err
	}
	return d.Print(ctx, written.Value, func() term.View { return details(written.Value) })
}
