package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cliflags"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/payments"
)

func newCancel(d *invocation.Deps) *cobra.Command {
	key := cliflags.Key{}
	cmd := &cobra.Command{
		Use:     "cancel TRANSFER",
		Short:   "Cancel a transfer that still awaits its funds",
		Example: "  payctl transfer cancel trf_01kdwcj4jg9etbjcny9kh6prep",
		Args:    invocation.Args("TRANSFER"),
		RunE:    func(cmd *cobra.Command, args []string) error { return cancel(cmd.Context(), d, &key, args[0]) },
	}
	key.AddTo(cmd)
	return cmd
}

func cancel(ctx context.Context, d *invocation.Deps, key *cliflags.Key, transferID string) error {
	idempotency := payments.Idempotency{} // which is made of the transfer
	if key.Given() {
		idempotency = key.Idempotency(d)
	}
	_, err := invocation.PrintOne(ctx, d, func(s payments.Service) (payments.Transfer, error) {
		written, err := s.CancelTransfer(ctx, transferID, idempotency)
		return written.Value, err
	}, details)
	return err
}
