package transfer

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// filters are the flags that select transfers, apart from the time of their creation.
type filters struct {
	payments.TransferFilter
}

// addTo adds the flags.
func (f *filters) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.AccountID, "account", "", "only those of this `ACCOUNT`")
	flags.StringVar(&f.ContactID, "contact", "", "only those to this `CONTACT`: its id, label or external id")
	flags.StringVar(&f.Route, "route", "", "only those over this `ROUTE`")
	cmdutil.AddValues(cmd, &f.States, "state", "only those in one of these `STATES`, such as awaiting_funds,in_review")
	flags.StringVar(&f.Reference, "reference", "", "only those with this `REFERENCE`")
	flags.StringVar(&f.ExternalID, "external-id", "", "only those with this `ID` of yours")
	flags.StringVar(&f.BatchID, "batch", "", "only those of this `BATCH`")
}

// states are those that the contract has.
func states(d *cmdutil.Deps) []string { return d.Enum("listTransfers", "state") }

// query returns the transfers that the flags select.
func (f *filters) query(ctx context.Context, d *cmdutil.Deps) (*cmdutil.Query[payments.Transfer], error) {
	if err := cmdutil.CheckStatuses(d, "state", f.States, states(d)); err != nil {
		return nil, err
	}
	service, err := d.Payments()
	if err != nil {
		return nil, err
	}
	if f.ContactID, err = d.ContactID(ctx, service, "--contact", f.ContactID); err != nil {
		return nil, err
	}
	matches := payments.TransferFilter.Matches
	text := func(flag, parameter string, member func(*payments.TransferFilter) *string) []cmdutil.Filter[payments.Transfer] {
		return cmdutil.MemberFilter(flag, parameter, &f.TransferFilter, member, matches)
	}
	return &cmdutil.Query[payments.Transfer]{
		Fetch: func(q payments.PageQuery) ([]payments.Transfer, *string, error) {
			f.PageQuery = q
			page, err := service.ListTransfers(ctx, f.TransferFilter)
			return page.Data, page.NextCursor, err
		},
		ID:      func(t payments.Transfer) string { return t.ID },
		Created: func(t payments.Transfer) time.Time { return t.CreatedAt },
		Filters: slices.Concat(
			text("account", "accountId", func(f *payments.TransferFilter) *string { return &f.AccountID }),
			text("contact", "destinationSavedContactId", func(f *payments.TransferFilter) *string { return &f.ContactID }),
			text("route", "route", func(f *payments.TransferFilter) *string { return &f.Route }),
			cmdutil.ListFilter("state", "state", &f.TransferFilter,
				func(f *payments.TransferFilter) *[]payments.TransferState { return &f.States }, matches),
			text("reference", "reference", func(f *payments.TransferFilter) *string { return &f.Reference }),
			text("external-id", "externalId", func(f *payments.TransferFilter) *string { return &f.ExternalID }),
			text("batch", "batchId", func(f *payments.TransferFilter) *string { return &f.BatchID }),
		),
	}, nil
}

// each calls do with all transfers that the flags select, created in the interval.
func (f *filters) each(
	ctx context.Context, d *cmdutil.Deps, interval *cmdutil.Interval, do func(payments.Transfer) error,
) error {
	query, err := f.query(ctx, d)
	if err != nil {
		return err
	}
	if query.Period, err = interval.Period(ctx, d); err != nil {
		return err
	}
	_, err = query.Each(d, 0, func(page []payments.Transfer, _ bool) error {
		for _, t := range page {
			if err := do(t); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
