package events

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

type listOptions struct {
	selection
	cmdutil.Columns
	limit int
	all   bool
}

func newList(d *cmdutil.Deps) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List events, oldest first",
		Long: `List the events after a cursor, oldest first: new accounts, contacts and transfers, and every change
of an identity check's status or a transfer's state. The id of an event is the cursor after it. At
the end, standard error shows the cursor to go on with. If the service no longer has the events
after the cursor, or has been reset since, the exit code is 5.`,
		Example: `  payctl events list
  payctl events list --after evt_9kq2v0c1m3n5p7r80000000001 --all -o ndjson
  payctl events list --types transfer.stateChanged --all -o csv`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.addTo(d, cmd, beginning)
	cmd.Flags().IntVar(&o.limit, "limit", 20, "show at most `N`")
	cmd.Flags().BoolVar(&o.all, "all", false, "show all events up to now")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
	o.Columns.AddTo(cmd)
	cmdutil.AnnotateColumns(cmd, columns)
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	if o.limit < 1 && !o.all {
		return cmdutil.Usage("--limit must be 1 or more")
	}
	filter, err := o.filter(d)
	if err != nil {
		return err
	}
	view, err := cmdutil.NewView(ctx, d, o.Columns, cmdutil.Sort{}, columns)
	if err != nil || view == nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	stream := view.Stream("No events.")
	var guard payments.PageGuard
	end := "" // the cursor at the end of the feed, with --all
	shown := 0
	var cut bool     // rows may be left
	var held []entry // the first page, if it may be the only one: then its times need no date
	for {
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
				_ = stream.WritePage(held, false)
				_ = stream.Close() // err is the one to report
			}
			return explainGone(err)
		}
		part := make([]entry, len(page.Data))
		for i, e := range page.Data {
			part[i] = entryOf(e)
		}
		shown += len(part)
		filter.After = page.Cursor
		cut = !o.all && shown >= o.limit
		last := len(part) == 0 || cut || o.all && reaches(page, end)
		if err := stream.WritePage(held, len(part) == 0); err != nil {
			return err
		}
		held = nil
		if isFirst := shown == len(part); isFirst && !last && len(part) < filter.Limit {
			held = part
		} else if err := stream.WritePage(part, last); err != nil {
			return err
		}
		if last {
			break
		}
		if err := guard.Step(len(page.Data), page.Cursor); err != nil {
			_ = stream.Close() // err is the one to report
			return err
		}
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if cut {
		d.NoteMore(shown)
	}
	d.Notef("%s", shell.Hint("Go on with --after CURSOR", shell.Values{"CURSOR": filter.After}))
	return nil
}

// endOf returns the cursor at the end of the feed; first is the first page that was read.
func endOf(
	ctx context.Context, service payments.Events, filter payments.EventFilter, first payments.EventPage,
) (string, error) {
	if len(first.Data) == 0 {
		return first.Cursor, nil
	}
	filter.After, filter.Limit = payments.LatestEvent, 1
	latest, err := service.ListEvents(ctx, filter)
	return latest.Cursor, err
}

// reaches reports whether a page goes up to the end of the feed as it was when the listing began, or beyond: while
// events are added all the time, no page is empty. With --types the last event need not be in the list. Then the
// order of the cursors decides, if the page shows that they have one; those of another service need not.
func reaches(page payments.EventPage, end string) bool {
	inOrder := slices.IsSortedFunc(page.Data, func(a, b payments.Event) int { return strings.Compare(a.ID, b.ID) })
	if inOrder && len(page.Data) < payments.LargestPage && len(page.Cursor) == len(end) &&
		page.Cursor >= page.Data[len(page.Data)-1].ID {
		return page.Cursor >= end
	}
	return slices.ContainsFunc(page.Data, func(e payments.Event) bool { return e.ID == end })
}
