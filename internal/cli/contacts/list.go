package contacts

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

type listOptions struct {
	cmdutil.List
	filter payments.SavedContactFilter
	rail   string
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List saved contacts, newest first",
		Long: `List saved contacts, newest first.

` + cmdutil.ListHelp,
		Example: `  payctl contacts list --account acc_01kdwcj2m07dx6vaehz84r9gfw
  payctl contacts list --label Treasury
  payctl contacts list --rail sepa --sort label
  payctl contacts list --all -o csv > contacts.csv`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.List.AddTo(cmd)
	f := cmd.Flags()
	f.StringVar(&o.filter.AccountID, "account", "", "only contacts of this `ACCOUNT`")
	f.StringVar(&o.filter.ExternalID, "external-id", "", "only contacts with this `ID` of your own")
	f.StringVar(&o.filter.Label, "label", "", "only contacts with this `LABEL`, in exactly these letters")
	f.StringVar(&o.rail, "rail", "", "only contacts that this `RAIL` reaches")
	cmdutil.AnnotateColumns(cmd, columns)
	return cmd
}

var columns = []cmdutil.Column[payments.SavedContact]{
	{
		Column: ui.Column{Header: "Contact", Name: "id"}, About: "identifier",
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Text(c.ID) },
	}, {
		Column: ui.Column{Header: "Label", Rank: 4, Least: 20, Ends: true}, About: "your name for it",
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Text(c.Label) },
	}, {
		Column: ui.Column{Header: "Holder", Name: "holderName", Rank: 1}, About: "name of the beneficiary",
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Text(c.HolderName) },
	}, {
		Column: ui.Column{Header: "Rail", Name: "paymentRail", Rank: 3}, About: "rail that reaches it",
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Text(c.PaymentRail) },
	}, {
		Column: ui.Column{Header: "Currency", Rank: 2}, About: "currency that it takes",
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Text(c.Currency) },
	}, {
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, About: "your own id", In: cmdutil.InCSV,
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Optional(c.ExternalID) },
	}, {
		Column: ui.Column{Header: "Account", Name: "accountId", Whole: true}, About: "account that pays it",
		Cell: func(c payments.SavedContact) ui.Cell { return ui.Optional(c.AccountID) },
	}, {
		Column: ui.Column{Header: "Metadata"}, About: "your own keys and values", In: cmdutil.IfAsked,
		Cell: func(c payments.SavedContact) ui.Cell { return cmdutil.MetadataCell(c.Metadata) },
	}, {
		Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true}, About: "when it was created",
		Cell: func(c payments.SavedContact) ui.Cell { return cmdutil.TimeCell(c.CreatedAt) },
	},
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	return cmdutil.PrintList(ctx, d, o.List, cmdutil.Listing[payments.SavedContact]{
		Columns: columns, Empty: "No contacts.",
		Query: func() (*cmdutil.Query[payments.SavedContact], error) { return o.query(ctx, d) },
	})
}

// query returns the contacts that the flags select.
func (o *listOptions) query(ctx context.Context, d *cmdutil.Deps) (*cmdutil.Query[payments.SavedContact], error) {
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	text := func(flag, parameter string, member func(*payments.SavedContactFilter) *string) []cmdutil.Filter[payments.SavedContact] {
		return cmdutil.MemberFilter(flag, parameter, &o.filter, member, payments.SavedContactFilter.Matches)
	}
	query := &cmdutil.Query[payments.SavedContact]{
		Fetch: func(q payments.PageQuery) ([]payments.SavedContact, *string, error) {
			o.filter.PageQuery = q
			page, err := service.ListSavedContacts(ctx, o.filter)
			return page.Data, page.NextCursor, err
		},
		ID:      func(c payments.SavedContact) string { return c.ID },
		Created: func(c payments.SavedContact) time.Time { return c.CreatedAt },
		Filters: slices.Concat(
			text("account", "accountId", func(f *payments.SavedContactFilter) *string { return &f.AccountID }),
			text("external-id", "externalId", func(f *payments.SavedContactFilter) *string { return &f.ExternalID }),
			text("label", "label", func(f *payments.SavedContactFilter) *string { return &f.Label }),
		),
	}
	if o.rail != "" {
		query.Filters = append(query.Filters, cmdutil.Filter[payments.SavedContact]{
			Flag: "rail", Matches: func(c payments.SavedContact) bool { return c.PaymentRail == o.rail },
		})
	}
	return query, nil
}
