package contacts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

func newDelete(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "delete CONTACT",
		Short: "Delete a saved contact",
		Long: `Delete a saved contact. Transfers already created keep going.

At a terminal it has to be confirmed, unless the service is on this machine; without a terminal, a service elsewhere
needs --yes.`,
		Example: "  payctl contacts delete sct_01kdwcj4jg9etbjcny9hzk9879",
		Args:    deps.Args("CONTACT"),
		RunE:    func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), d, args[0]) },
	}
}

func remove(ctx context.Context, d *deps.Deps, contactID string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	asks, err := d.MustAsk("deleting a contact")
	if err != nil {
		return err
	}
	if asks {
		contact, err := service.GetSavedContact(ctx, contactID)
		if err != nil {
			return err
		}
		d.Show(details(contact))
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
