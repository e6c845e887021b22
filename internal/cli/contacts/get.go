package contacts

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "get CONTACT",
		Short: "Show one saved contact, by its id, label or external id, its bank coordinates masked",
		Example: `  payctl contacts get sct_01kdwcj4jg9etbjcny9hzk9879
  payctl contacts get "Ada, Berlin"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			_, err := cmdutil.PrintOne(ctx, d, d.Payments, func(s payments.Service) (payments.SavedContact, error) {
				contact, err := d.Contact(ctx, s, "CONTACT", args[0])
				if err != nil {
					return payments.SavedContact{}, err
				}
				read, err := s.GetSavedContact(ctx, contact.ID)
				return read.Value, err
			}, Table.Details)
			return err
		},
	}
}
