package contacts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "get CONTACT",
		Short:   "Show one saved contact, its bank coordinates masked",
		Example: "  payctl contacts get sct_01kdwcj4jg9etbjcny9hzk9879",
		Args:    cmdutil.Args("CONTACT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := cmdutil.PrintOne(cmd.Context(), d, func(s payments.Service) (payments.SavedContact, error) {
				read, err := s.GetSavedContact(cmd.Context(), args[0], payments.ReadOptions{})
				return read.Value, err
			}, details)
			return err
		},
	}
}
