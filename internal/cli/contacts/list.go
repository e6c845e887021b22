package contacts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

type listOptions struct {
	deps.List
	account string
}

func newList(d *deps.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List saved contacts, newest first",
		Example: `  payctl contacts list --account acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl contacts list --all -o csv > contacts.csv`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	cmd.Flags().StringVar(&o.account, "account", "", "only those of this `ACCOUNT`")
	return cmd
}

var columns = []term.Column{
	{Header: "Contact", Name: "id"}, {Header: "Label"}, {Header: "Holder", Name: "holderName"}, {Header: "Rail", Name: "paymentRail"},
	{Header: "Currency"}, {Header: "Account", Name: "accountId"}, {Header: "Created", Name: "createdAt"},
}

func list(ctx context.Context, d *deps.Deps, o *listOptions) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	fetch := func(q payments.PageQuery) ([]payments.SavedContact, *string, error) {
		page, err := service.ListSavedContacts(ctx, payments.SavedContactFilter{PageQuery: q, AccountID: o.account})
		return page.Data, page.NextCursor, err
	}
	return deps.Show(ctx, d, o.List, columns, "No contacts.", fetch, func(c payments.SavedContact) []term.Cell {
		return []term.Cell{term.Text(c.ID), term.Text(c.Label), term.Text(c.HolderName), term.Text(c.PaymentRail),
			term.Text(c.Currency), term.Text(c.AccountID), term.Text(deps.Time(c.CreatedAt))}
	})
}
