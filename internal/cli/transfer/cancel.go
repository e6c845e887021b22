package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
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

// cancelTransfer is the operation in keys and in the journal.
const cancelTransfer = "cancelTransfer"

func cancel(ctx context.Context, d *deps.Deps, key *deps.Key, transferID string) error {
	idempotency := key.Idempotency(d)
	if !key.Given() {
		idempotency = deps.ReferenceKey(cancelTransfer, transferID) // canceling twice is canceling once
	}
	_, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.Transfer, error) {
		written, err := s.CancelTransfer(ctx, transferID, idempotency)
		return written.Value, err
	}, details)
	return err
}
