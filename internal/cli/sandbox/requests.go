package sandbox

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newRequests(d *cmdutil.Deps) *cobra.Command {
	l, follow, empty := &resource.List{}, false, false
	cmd := &cobra.Command{
		Use:   "requests",
		Short: "List the client's requests, newest first",
		Long: `List the client's requests, newest first, without credentials. The service keeps the latest 1000;
the sandbox's own operations are not among them. JSON has the query and the bodies of the latest
100 too, with secrets masked, where payctl serve runs on this machine.

With --follow the command prints the requests that come from now on, oldest first, until Ctrl-C or
until --limit N came.

` + resource.Help,
		Example: `  payctl sandbox requests --limit 5
  payctl sandbox requests --follow
  payctl sandbox requests --all --jq '[.[] | select(.operation == "createAutoTransfer")] | length'`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case empty:
				return show(cmd.Context(), d, func(s payments.Sandbox) (cleared, error) {
					return cleared{true}, s.ClearSandboxRequests(cmd.Context())
				}, func(cleared) ui.Details { return ui.Details{field("Requests", ui.Text("none"))} })
			case !follow:
				return listRequests(cmd.Context(), d, *l)
			}
			most, err := l.Most(ui.FormatNDJSON)
			if err != nil {
				return err
			}
			return followRequests(cmd.Context(), d, most)
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
	{Column: ui.Column{Header: "Request", Name: "number", Right: true}, About: "number of the request"},
	{Column: ui.Column{Header: "Time", Keep: true}, About: "when it came, by the clock of the world"},
	{Column: ui.Column{Header: "Method", Rank: 2}, About: "method"},
	{Column: ui.Column{Header: "Path", Rank: 3, Least: 30, Ends: true}, About: "path, without its query"},
	{Column: ui.Column{Header: "Operation"}, About: "operation of the contract"},
	{
		Column: ui.Column{Header: "Status", Right: true, Keep: true}, About: "status of the response",
		Cell: func(r payments.SandboxRequest) ui.Cell { return status(r.Status) },
	},
	{Column: ui.Column{Header: "Took ms", Name: "durationMs", Right: true}, About: "how long it took, in milliseconds"},
	{Column: ui.Column{Header: "Fault", Rank: 1}, About: "fault that it met"},
	{Column: ui.Column{Header: "Key hash", Name: "idempotencyKeyHash"}, About: "hash of its idempotency key", In: resource.InCSV},
	{Column: ui.Column{Header: "Request id", Name: "requestId"}, About: "identifier of the request", In: resource.InCSV},
}

func listRequests(ctx context.Context, d *cmdutil.Deps, l resource.List) error {
	return resource.PrintList(ctx, d, l, resource.Listing[payments.SandboxRequest]{
		Table: requestColumns, Empty: "No requests.",
		Query: func() (*resource.Query[payments.SandboxRequest], error) {
			sandbox, err := d.Sandbox()
			if err != nil {
				return nil, err
			}
			return &resource.Query[payments.SandboxRequest]{
				Fetch: func(q payments.PageQuery) ([]payments.SandboxRequest, *string, error) {
					page, err := sandbox.ListSandboxRequests(ctx, q)
					return page.Data, page.NextCursor, err
				},
				Created: func(r payments.SandboxRequest) time.Time { return r.Time },
			}, nil
		},
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

// cleared is the output about a log that was emptied.
type cleared struct {
	Cleared bool `json:"cleared"`
}
