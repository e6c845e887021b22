package transfer

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	resource.List
	filters
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List transfers, newest first",
		Long: `List transfers, newest first.

` + resource.Help,
		Example: `  payctl transfer list --state awaiting_funds,in_review
  payctl transfer list --created-after yesterday --created-before today --all -o csv > yesterday.csv
  payctl transfer list --reference invoice-42 -o json | jq -r '.[].id'
  payctl transfer list --sort -sourceAmount --limit 5 --columns id,sends,reference`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printer, err := resource.NewListPrinter(cmd.Context(), d, o.List, Table)
			if err != nil {
				return err
			}
			query, err := o.query(cmd.Context(), d)
			if err != nil {
				return err
			}
			printer.Empty = "No transfers."
			return printer.Print(query)
		},
	}
	o.List.AddTo(cmd, Table.Names())
	o.filters.addTo(cmd)
	return cmd
}

// filters are the flags that select transfers, apart from the time of their creation.
type filters struct {
	payments.TransferFilter
}

// addTo adds the flags.
func (f *filters) addTo(cmd *cobra.Command) {
	Table.FilterText(cmd, &f.AccountID, "accountId")
	Table.FilterText(cmd, &f.ContactID, "destinationSavedContactId")
	Table.FilterText(cmd, &f.Route, "route")
	resource.FilterValues(Table, cmd, &f.States, "state")
	Table.FilterText(cmd, &f.Reference, "reference")
	Table.FilterText(cmd, &f.ExternalID, "externalId")
	Table.FilterText(cmd, &f.BatchID, "batchId")
}

// states are those that the contract has.
func states() []string { return contract.ListTransfers.Enum("state") }

// query returns the transfers that the flags select.
func (f *filters) query(ctx context.Context, d *cmdutil.Deps) (*resource.ListQuery[payments.Transfer], error) {
	if err := cmdutil.CheckStatuses(d, "state", f.States, states()); err != nil {
		return nil, err
	}
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	if f.AccountID, err = resource.AccountID(ctx, d, service, f.AccountID); err != nil {
		return nil, err
	}
	contact, err := d.Contact(ctx, service, "--contact", f.ContactID)
	if err != nil {
		return nil, err
	}
	f.ContactID = contact.ID
	return resource.Transfers(ctx, service, &f.TransferFilter), nil
}

// each calls do with all transfers that the flags select, created in the interval. End is what the service says of the
// end of its list.
func (f *filters) each(
	ctx context.Context, d *cmdutil.Deps, interval *cmdutil.Interval, do func(payments.Transfer) error,
) (end payments.ListEnd, err error) {
	query, err := f.query(ctx, d)
	if err != nil {
		return end, err
	}
	if err := query.During(d, interval); err != nil {
		return end, err
	}
	_, err = query.Each(0, func(page []payments.Transfer, _ bool) error {
		for _, t := range page {
			if err := do(t); err != nil {
				return err
			}
		}
		return nil
	})
	return query.End, err
}
