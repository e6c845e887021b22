package contacts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newList(d *cmdutil.Deps) *cobra.Command {
	var (
		pages  cmdutil.List
		filter payments.SavedContactFilter
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List saved contacts, newest first",
		Example: `  payctl contacts list --account acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl contacts list --label Treasury
  payctl contacts list --all -o csv > contacts.csv`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, pages, filter) },
	}
	pages.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&filter.AccountID, "account", "", "only contacts of this `ACCOUNT`")
	f.StringVar(&filter.ExternalID, "external-id", "", "only contacts with this `ID` of your own")
	f.StringVar(&filter.Label, "label", "", "only contacts with this `LABEL`, in exactly these letters")
	return cmd
}

var columns = []ui.Column{
	{Header: "Contact", Name: "id"}, {Header: "Label"}, {Header: "Holder", Name: "holderName"},
	{Header: "Rail", Name: "paymentRail"}, {Header: "Currency"},
	{Header: "Account", Name: "accountId"}, {Header: "Created", Name: "createdAt"},
}

func list(ctx context.Context, d *cmdutil.Deps, pages cmdutil.List, filter payments.SavedContactFilter) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	fetch := func(q payments.PageQuery) ([]payments.SavedContact, *string, error) {
		filter.PageQuery = q
		page, err := service.ListSavedContacts(ctx, filter)
		return page.Data, page.NextCursor, err
	}
	return cmdutil.PrintList(ctx, d, pages, columns, "No contacts.", fetch, func(c payments.SavedContact) []ui.Cell {
		return []ui.Cell{ui.Text(c.ID), ui.Text(c.Label), ui.Text(c.HolderName), ui.Text(c.PaymentRail),
			ui.Text(c.Currency), ui.Text(c.AccountID), ui.Text(cmdutil.Time(c.CreatedAt))}
	})
}
