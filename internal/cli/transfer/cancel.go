package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newCancel(d *cmdutil.Deps) *cobra.Command {
	key := cmdutil.Key{}
	cmd := &cobra.Command{
		Use:     "cancel TRANSFER",
		Short:   "Cancel a transfer that still awaits its funds",
		Example: "  payctl transfer cancel trf_01kdwcj4jg9etbjcny9kh6prep",
		Args:    cmdutil.Args("TRANSFER"),
		RunE:    func(cmd *cobra.Command, args []string) error { return cancel(cmd.Context(), d, &key, args[0]) },
	}
	key.AddTo(cmd)
	return cmd
}

func cancel(ctx context.Context, d *cmdutil.Deps, key *cmdutil.Key, transferID string) error {
	idempotency := payments.Idempotency{} // which is made of the transfer
	if key.Given() {
		idempotency = key.Idempotency(d)
	}
	_, err := cmdutil.PrintOne(ctx, d, func(s payments.Service) (payments.Transfer, error) {
		written, err := s.CancelTransfer(ctx, transferID, idempotency)
		return written.Value, err
	}, details)
	return err
}
