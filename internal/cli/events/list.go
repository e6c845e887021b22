package events

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type listOptions struct {
	selection
	resource.Columns
	resource.Length
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
  payctl events list --types transfer.stateChanged --all -o csv
  payctl events list --subject acc_01kbn4q8e7m2v5s9r3x6y1z0wd --all`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, o) },
	}
	o.addTo(d, cmd, beginning)
	o.Length.AddTo(cmd)
	o.Columns.AddUnsortedTo(cmd, columns.Names())
	return cmd
}

func list(ctx context.Context, d *cmdutil.Deps, o *listOptions) error {
	filter, err := o.filter(d)
	if err != nil {
		return err
	}
	view, err := columns.View(ctx, d, o.Columns)
	if err != nil || view == nil {
		return err
	}
	most, err := o.Most(view.Format())
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	stream := view.Stream("No events.")
	feed := &feedPages{service: service, filter: filter}
	query := &resource.Query[payments.Event]{
		Fetch: func(page payments.PageQuery) ([]payments.Event, *string, error) { return feed.next(ctx, page) },
		Fewer: "begin later with --after", Filters: filters(&feed.filter),
	}
	shown := 0
	more, err := query.Each(d, most, func(events []payments.Event, last bool) error {
		part := make([]entry, len(events))
		for i, e := range events {
			part[i] = entryOf(e)
		}
		if shown += len(part); most > 0 && shown >= most {
			feed.end(events[len(events)-1])
		}
		return stream.WritePage(part, last)
	})
	if err != nil {
		if shown > 0 {
			_ = stream.Close() // err is the one to report
		}
		return explainGone(err, &forward.Place{})
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if more {
		resource.NoteMore(d, shown)
	}
	d.Notef("%s", shell.Hint("Go on with --after CURSOR", shell.Values{"CURSOR": feed.page.Cursor}))
	return nil
}

// feedPages reads the feed page by page, up to where its end was when the first page was read.
type feedPages struct {
	service payments.Events
	filter  payments.EventFilter
	latest  string             // the cursor at that end
	page    payments.EventPage // the last one that was read
}

// next reads a page. The cursor after it is nil at the end of the list.
func (f *feedPages) next(ctx context.Context, q payments.PageQuery) (events []payments.Event, cursor *string, err error) {
	if f.filter.Limit = q.Limit; q.Cursor != "" {
		f.filter.After = q.Cursor
	}
	f.page, err = f.service.ListEvents(ctx, f.filter)
	if err == nil && len(f.page.Data) > 0 && f.latest == "" {
		end := f.filter
		end.After, end.Limit = payments.LatestEvent, 1
		var latest payments.EventPage
		latest, err = f.service.ListEvents(ctx, end)
		f.latest = latest.Cursor
	}
	if err != nil || len(f.page.Data) == 0 || f.page.Reaches(f.latest) {
		return f.page.Data, nil, err
	}
	return f.page.Data, &f.page.Cursor, nil
}

// end ends the list at an event. If payctl filters, the page may have later events that were not shown.
func (f *feedPages) end(at payments.Event) {
	if at.ID != f.page.Data[len(f.page.Data)-1].ID {
		f.page.Cursor = at.ID
	}
}

func newCursor(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "cursor",
		Short: "Print the cursor at the end of the event feed",
		Long: `Print the cursor at the end of the event feed. To miss no change: take the cursor, read the present
states, then follow the feed from the cursor.`,
		Example: `  CURSOR=$(payctl events cursor)
  payctl transfer list --all -o ndjson >states.ndjson
  payctl events tail --after "$CURSOR"`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			printer, service, err := d.PrinterAndPayments(cmd.Context())
			if err != nil {
				return err
			}
			page, err := service.ListEvents(cmd.Context(), payments.EventFilter{After: payments.LatestEvent, Limit: 1})
			if err != nil {
				return err
			}
			return d.PrintText(printer, "cursor", page.Cursor, ui.Sanitize)
		},
	}
}
