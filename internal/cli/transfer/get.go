package transfer

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "get TRANSFER",
		Short:   "Show one transfer",
		Example: "  payctl transfer get trf_01kdwcj4jg9etbjcny9kh6prep",
		Args:    cmdutil.Args("TRANSFER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := cmdutil.PrintOne(cmd.Context(), d, func(s payments.Service) (payments.Transfer, error) {
				read, err := s.GetTransfer(cmd.Context(), args[0], payments.ReadOptions{})
				return read.Value, err
			}, details)
			return err
		},
	}
}
