package contacts

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	resource.List
	filter payments.SavedContactFilter
	rail   string
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List saved contacts, newest first",
		Long: `List saved contacts, newest first.

` + resource.Help,
		Example: `  payctl contacts list --account acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl contacts list --label Treasury
  payctl contacts list --rail sepa --sort label
  payctl contacts list --all -o csv > contacts.csv`,
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd, Table.Names())
	Table.FilterText(cmd, &o.filter.AccountID, "accountId")
	Table.FilterText(cmd, &o.filter.ExternalID, "externalId")
	Table.FilterText(cmd, &o.filter.Label, "label")
	Table.FilterText(cmd, &o.rail, "paymentRail")
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	return resource.PrintList(ctx, d, o.List, resource.Listing[payments.SavedContact]{
		Table: Table, Empty: "No contacts.",
		Query: func() (*resource.Query[payments.SavedContact], error) { return o.query(ctx, d) },
	})
}

// query returns the contacts that the flags select.
func (o *listOptions) query(ctx context.Context, d *cmdutil.Deps) (*resource.Query[payments.SavedContact], error) {
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	if o.filter.AccountID, err = resource.AccountID(ctx, d, service, o.filter.AccountID); err != nil {
		return nil, err
	}
	query := &resource.Query[payments.SavedContact]{
		Created: func(c payments.SavedContact) time.Time { return c.CreatedAt },
		Matches: func(c payments.SavedContact) bool {
			return o.filter.Matches(c) && (o.rail == "" || c.PaymentRail == o.rail)
		},
	}
	query.Fetch = func(q payments.PageQuery) ([]payments.SavedContact, *string, error) {
		o.filter.PageQuery = q
		page, err := service.ListSavedContacts(ctx, o.filter)
		query.End = page.End
		return page.Data, page.NextCursor, err
	}
	return query, nil
}
