package transfer

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "get TRANSFER",
		Short: "Show one transfer, by its id, reference or external id",
		Example: `  payctl transfer get trf_01kdwcj4jg9etbjcny9kh6prep
  payctl transfer get invoice-42`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			_, err := cmdutil.PrintOne(ctx, d, d.Payments, func(s payments.Service) (transfer payments.Transfer, err error) {
				err = resource.ByTransferName(ctx, s, args[0], func(id string) error {
					read, err := s.GetTransfer(ctx, id)
					transfer = read.Value
					return err
				})
				return transfer, err
			}, Details)
			return err
		},
	}
}
