package transfer

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newCancel(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "cancel TRANSFER",
		Short:   "Cancel a transfer that still awaits its funds",
		Example: "  payctl transfer cancel trf_01kdwcj4jg9etbjcny9kh6prep",
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := cmdutil.PrintOne(cmd.Context(), d, d.Payments, func(s payments.Service) (payments.Transfer, error) {
				key := payments.Idempotency{} // which is made of the transfer
				written, err := s.CancelTransfer(cmd.Context(), args[0], key)
				return written.Value, err
			}, Details)
			return err
		},
	}
}
