package events

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

type listOptions struct {
	selection
	limit int
	all   bool
}

func newList(d *deps.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List events, oldest first",
		Long: `List what happened after a cursor, oldest first: accounts, contacts and transfers that came to be, and every change of
an identity check's status or a transfer's state. An event's id is the cursor after it. Where the list ends, standard
error says how to go on. A cursor that is older than what the service keeps, or of a world that was reset, is exit 5.`,
		Example: `  payctl events list
  payctl events list --after evt_9kq2v0c1m3n5p7r80000000001 --all -o ndjson
  payctl events list --types transfer.stateChanged --all -o csv`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.addTo(cmd, beginning)
	cmd.Flags().IntVar(&o.limit, "limit", 20, "show at most `N`")
	cmd.Flags().BoolVar(&o.all, "all", false, "show all up to now")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	return cmd
}

func list(ctx context.Context, d *deps.Deps, o *listOptions) error {
	if o.limit < 1 && !o.all {
		return deps.Usage("--limit must be 1 or more")
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	stream := printer.Stream(columns)
	stream.Empty = "No events."
	filter := o.filter()
	end := "" // of the feed, where all of it is listed
	for shown := 0; ; {
		filter.Limit = payments.LargestPage
		if !o.all {
			filter.Limit = min(payments.LargestPage, o.limit-shown)
		}
		page, err := service.ListEvents(ctx, filter)
		if err == nil && o.all && end == "" {
			end, err = endOf(ctx, service, filter, page)
		}
		if err != nil {
			if shown > 0 {
				_ = stream.Close() // the error says more than a failure to end the output
				return &deps.Partial{Err: withNext(err)}
			}
			return withNext(err)
		}
		part := deps.Rows{}
		for _, e := range page.Data {
			part.Add(entryOf(e), cells(e))
		}
		if err := stream.WritePage(part.Values, part.Cells); err != nil {
			return err
		}
		shown += len(page.Data)
		filter.After = page.Cursor
		if len(page.Data) == 0 || o.all && reaches(page, end) || !o.all && shown >= o.limit {
			break
		}
	}
	if err := stream.Close(); err != nil {
		return err
	}
	d.Notef("Go on with --after %s", filter.After)
	return nil
}

// endOf is the cursor at the end of the feed, of which a first page was read.
func endOf(ctx context.Context, service payments.Events, filter payments.EventFilter, first payments.EventPage) (string, error) {
	if len(first.Data) == 0 {
		return first.Cursor, nil
	}
	latest, err := service.ListEvents(ctx, payments.EventFilter{After: payments.LatestEvent, Types: filter.Types, Limit: 1})
	return latest.Cursor, err
}

// reaches says whether a page with events leads to what was the end of the feed. It may lead beyond: where something is always
// added no page is without events. Where only some types are listed, the event at that end need not be among them: then the order
// of cursors tells, where the page shows that they have one. Another service's need not.
func reaches(page payments.EventPage, end string) bool {
	inOrder := slices.IsSortedFunc(page.Data, func(a, b payments.Event) int { return strings.Compare(a.ID, b.ID) })
	if inOrder && len(page.Data) < payments.LargestPage && len(page.Cursor) == len(end) && page.Cursor >= page.Data[len(page.Data)-1].ID {
		return page.Cursor >= end
	}
	return slices.ContainsFunc(page.Data, func(e payments.Event) bool { return e.ID == end })
}
