package sandbox

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

func newRequests(d *cmdutil.Deps) *cobra.Command {
	l, follow, empty := &resource.List{}, false, false
	cmd := &cobra.Command{
		Use:   "requests",
		Short: "List the client's requests, newest first",
		Long: `List the client's requests, newest first, without credentials. The service keeps the latest 1000;
the sandbox's own operations are not among them. JSON has the query and the bodies of the latest
100 too, with secrets masked, where payctl serve runs on this machine.

With --follow the command prints the requests that come from now on, until Ctrl-C or until --limit N
came.

` + resource.Help,
		Example: `  payctl sandbox requests --limit 5
  payctl sandbox requests --follow
  payctl sandbox requests --all --jq '[.[] | select(.operation == "createAutoTransfer")] | length'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case empty:
				return show(cmd.Context(), d, func(s payments.Sandbox) (map[string]bool, error) {
					return map[string]bool{"cleared": true}, s.ClearSandboxRequests(cmd.Context())
				}, func(map[string]bool) ui.Details { return cmdutil.Field("Requests", "none") })
			case follow:
				return followRequests(cmd.Context(), d, l)
			}
			return listRequests(cmd.Context(), d, *l)
		},
	}
	l.AddTo(cmd, requestColumns.Names())
	cmd.Flags().BoolVar(&follow, "follow", false, "print requests as they come")
	cmd.Flags().BoolVar(&empty, "clear", false, "empty the log instead")
	cmd.MarkFlagsMutuallyExclusive("clear", "follow")
	for _, other := range []string{"all", "sort", "columns", "created-after", "created-before"} {
		cmd.MarkFlagsMutuallyExclusive("follow", other)
	}
	return cmd
}

var requestColumns = resource.Table[payments.SandboxRequest]{
	{Column: ui.Column{Header: "Request", Name: "number", Right: true}},
	{Column: ui.Column{Header: "Time", Keep: true}},
	{Column: ui.Column{Header: "Method", Rank: 2}},
	{Column: ui.Column{Header: "Path", Rank: 3, Least: 30, Ends: true}},
	{Column: ui.Column{Header: "Operation"}},
	{
		Column: ui.Column{Header: "Status", Right: true, Keep: true},
		Cell:   func(r payments.SandboxRequest) ui.Cell { return status(r.Status) },
	},
	{Column: ui.Column{Header: "Took ms", Name: "durationMs", Right: true}},
	{Column: ui.Column{Header: "Fault", Rank: 1}},
	{Column: ui.Column{Header: "Key hash", Name: "idempotencyKeyHash"}, In: resource.InCSV},
	{Column: ui.Column{Header: "Request id", Name: "requestId"}, In: resource.InCSV},
}

func listRequests(ctx context.Context, d *cmdutil.Deps, l resource.List) error {
	printer, err := resource.NewListPrinter(ctx, d, l, requestColumns)
	if err != nil {
		return err
	}
	sandbox, err := d.Client()
	if err != nil {
		return err
	}
	printer.Empty = "No requests."
	return printer.Print(&resource.ListQuery[payments.SandboxRequest]{
		Fetch: func(q payments.PageQuery) (resource.Page[payments.SandboxRequest], error) {
			page, err := sandbox.ListSandboxRequests(ctx, q)
			return resource.Page[payments.SandboxRequest]{Rows: page.Data, Next: page.NextCursor}, err
		},
		Created: func(r payments.SandboxRequest) time.Time { return r.Time },
	})
}

// status shows a status code in its colour, or a dash if there was no response.
func status(code int) ui.Cell {
	switch {
	case code == 0:
		return ui.Optional("")
	case code >= 400:
		return ui.Toned(ui.Bad, strconv.Itoa(code))
	}
	return ui.Text(strconv.Itoa(code))
}

// followRequests prints the requests that come from now on, until it is interrupted or has printed as many as --limit
// says.
func followRequests(ctx context.Context, d *cmdutil.Deps, l *resource.List) error {
	const betweenLooks = 200 * time.Millisecond // which a person does not notice
	printer, err := d.FeedPrinter(ctx)
	if err != nil {
		return err
	}
	most, err := l.Most(ui.FormatNDJSON)
	if err != nil {
		return err
	}
	sandbox, err := d.Client()
	if err != nil {
		return err
	}
	ctx, end := d.WhileRead(ctx)
	defer end()
	stream := requestColumns.Follow(printer)
	for last, shown := -1, 0; ; {
		var found []payments.SandboxRequest
		if found, last, err = newRequestsSince(ctx, sandbox, last); err != nil {
			break
		}
		if most > 0 {
			found = found[:min(len(found), most-shown)]
		}
		shown += len(found)
		if err = stream.WritePage(found); err != nil || most > 0 && shown == most {
			break
		}
		if err = wait.Sleep(ctx, betweenLooks); err != nil {
			break
		}
	}
	return errors.Join(err, stream.Close())
}

// newRequestsSince returns the requests behind the one of a number, oldest first, and the number of the newest. A
// negative number stands for the newest one.
func newRequestsSince(
	ctx context.Context, sandbox payments.Sandbox, last int,
) (found []payments.SandboxRequest, newest int, err error) {
	query := payments.PageQuery{Limit: payments.LargestPage}
	for {
		page, err := sandbox.ListSandboxRequests(ctx, query)
		if err != nil {
			return nil, last, err
		}
		if query.Cursor == "" {
			if len(page.Data) > 0 {
				newest = page.Data[0].Number
			}
			if last < 0 {
				return nil, newest, nil
			}
			if newest < last {
				last = 0 // the log was emptied, or the world was reset
			}
		}
		found = append(found, page.Data...)
		if page.NextCursor == nil || found[len(found)-1].Number <= last {
			break
		}
		query.Cursor = *page.NextCursor
	}
	found = slices.DeleteFunc(found, func(r payments.SandboxRequest) bool { return r.Number <= last })
	slices.Reverse(found)
	return found, newest, nil
}
