package contacts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

func newUpdate(d *cmdutil.Deps) *cobra.Command {
	var update resource.Update
	cmd := &cobra.Command{
		Use:   "update CONTACT",
		Short: "Change what you call a saved contact, but never where its money goes",
		Long: `Change a saved contact's label, holder name, external id and metadata, and print it as it is then.
Its rail, currency and coordinates cannot be changed, because payments to the contact would then go
to another beneficiary without a word: save another contact, and delete this one.

The contact is read first, and changed only if it is still the same when the change arrives:
otherwise the exit code is 6 and nothing has changed. If the outcome is unknown, run the line again:
the same change cannot be made twice.`,
		Example: `  payctl contacts update sct_01kdwcj4jg9etbjcny9hzk9879 --label Treasury --external-id vendor-7
  payctl contacts update sct_01kdwcj4jg9etbjcny9hzk9879 --metadata team=ops --clear metadata.note`,
		RunE: func(cmd *cobra.Command, args []string) error { return runUpdate(cmd.Context(), d, &update, args[0]) },
	}
	resource.UpdateFlags(Table, cmd, &update)
	return cmd
}

func runUpdate(ctx context.Context, d *cmdutil.Deps, update *resource.Update, contactID string) error {
	return resource.RunUpdate(ctx, d, update, resource.Updatable[payments.SavedContact]{
		What: "contact", ID: contactID, Table: Table,
		Show: shell.Payctl("contacts get --", contactID).With("what it is now"),
		Read: payments.Service.GetSavedContact, Write: payments.Service.UpdateSavedContact,
		Instead: "save another contact, and delete this one",
	})
}
