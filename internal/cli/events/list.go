package events

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

func newList(d *cmdutil.Deps) *cobra.Command {
	s, l := &selection{}, &resource.List{}
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
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), d, s, l) },
	}
	s.addTo(cmd, beginning)
	l.Length.AddTo(cmd)
	l.Columns.AddUnsortedTo(cmd, columns.Names())
	return cmd
}

// list reads the feed up to where its end was when the first page was read.
func list(ctx context.Context, d *cmdutil.Deps, s *selection, l *resource.List) error {
	filter, err := s.filter()
	if err != nil {
		return err
	}
	printer, err := resource.NewListPrinter(ctx, d, *l, columns)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	var cursor, latest string // behind what was shown, and at the end of the feed
	printer.Empty = "No events."
	printer.Shown = func(e entry) entry {
		cursor = e.ID
		return e
	}
	err = printer.Print(&resource.ListQuery[entry]{
		Matches: func(e entry) bool { return selects(filter, e) },
		Fetch: func(q payments.PageQuery) (found resource.Page[entry], err error) {
			if filter.Limit = q.Limit; q.Cursor != "" {
				filter.After = q.Cursor
			}
			page, err := service.ListEvents(ctx, filter)
			if err == nil && len(page.Data) > 0 && latest == "" {
				end := filter
				end.After, end.Limit = payments.LatestEvent, 1
				var last payments.EventPage
				last, err = service.ListEvents(ctx, end)
				latest = last.Cursor
			}
			for _, e := range page.Data {
				found.Rows = append(found.Rows, entryOf(e))
			}
			if cursor = page.Cursor; err == nil && len(page.Data) > 0 && !reaches(page, latest) {
				found.Next = &page.Cursor
			}
			return found, err
		},
	})
	if err == nil && cursor != "" {
		d.Notef("%s", shell.Note("Go on with --after %s", cursor))
	}
	return explainGone(err, "")
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

// reaches reports whether a page goes up to a cursor that was the end of the feed when the reading began, or beyond:
// while events are added all the time, no page is empty. If only some types are read, the last event need not be among
// them. Then the order of the cursors decides, if the page shows that they have one; those of another service need not.
func reaches(p payments.EventPage, end string) bool {
	if len(p.Data) == 0 {
		return true
	}
	inOrder := slices.IsSortedFunc(p.Data, func(a, b payments.Event) int { return strings.Compare(a.ID, b.ID) })
	if inOrder && len(p.Data) < payments.LargestPage && len(p.Cursor) == len(end) && p.Cursor >= p.Data[len(p.Data)-1].ID {
		return p.Cursor >= end
	}
	return slices.ContainsFunc(p.Data, func(e payments.Event) bool { return e.ID == end })
}
