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
	printer, err := resource.NewListPrinter(ctx, d, o.List, Table)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	if o.filter.AccountID, err = resource.AccountID(ctx, d, service, o.filter.AccountID); err != nil {
		return err
	}
	printer.Empty = "No contacts."
	return printer.Print(&resource.ListQuery[payments.SavedContact]{
		Created: func(c payments.SavedContact) time.Time { return c.CreatedAt },
		Matches: func(c payments.SavedContact) bool {
			return o.filter.Matches(c) && (o.rail == "" || c.PaymentRail == o.rail)
		},
		Fetch: func(q payments.PageQuery) (resource.Page[payments.SavedContact], error) {
			o.filter.PageQuery = q
			page, err := service.ListSavedContacts(ctx, o.filter)
			return resource.Page[payments.SavedContact]{Rows: page.Data, Next: page.NextCursor, End: page.End}, err
		},
	})
}
