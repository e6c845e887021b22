package contacts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

func newDelete(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "delete CONTACT",
		Short: "Delete a saved contact",
		Long: `Delete a saved contact, named by its id, label or external id. Transfers that were already created continue.

For a service that is not on this machine, payctl asks for confirmation. Without a terminal, pass
--yes.`,
		Example: `  payctl contacts delete sct_01kdwcj4jg9etbjcny9hzk9879
  payctl contacts delete Ada`,
		RunE: func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), d, args[0]) },
	}
}

func remove(ctx context.Context, d *cmdutil.Deps, name string) error {
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	named, err := d.Contact(ctx, service, "CONTACT", name)
	if err != nil {
		return err
	}
	contactID := named.ID
	asks, err := d.MustAsk("deleting a contact")
	if err != nil {
		return err
	}
	if asks {
		contact, err := service.GetSavedContact(ctx, contactID)
		if err != nil {
			return err
		}
		d.Show(Table.Details(contact.Value))
		if err := d.Confirmed(ctx, "Delete this contact?"); err != nil {
			return err
		}
	}
	if err := service.DeleteSavedContact(ctx, contactID); err != nil {
		return err
	}
	gone := struct {
		ID      string `json:"id"`
		Deleted bool   `json:"deleted"`
	}{contactID, true}
	return d.Done(printer, gone, "Deleted the contact %s.", contactID)
}
