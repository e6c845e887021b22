package sandbox

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func newRequests(d *cmdutil.Deps) *cobra.Command {
	empty := newSimple(d, "clear", "Empty the request log", "payctl sandbox requests clear",
		func(s payments.Sandbox, ctx context.Context) (cleared, error) {
			return cleared{true}, s.ClearSandboxRequests(ctx)
		}, func(cleared) ui.Details { return ui.Details{field("Requests", ui.Text("none"))} })
	return cmdutil.Group("requests", "Read the log of the client's requests", newRequestsList(d), empty)
}

func newRequestsList(d *cmdutil.Deps) *cobra.Command {
	l := cmdutil.List{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the client's requests, newest first",
		Long: `List the client's requests, newest first. The service keeps the latest 1000. The log has no bodies, queries or credentials, and
only a hash of idempotency keys. The sandbox's own operations are not in it.`,
		Example: `  payctl sandbox requests list --limit 5
  payctl sandbox requests list --all --jq '[.[] | select(.operation == "createAutoTransfer")] | length'`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRequests(cmd.Context(), d, l) },
	}
	l.AddTo(cmd)
	return cmd
}

var requestColumns = []ui.Column{
	{Header: "Request", Name: "number", Right: true}, {Header: "Time"}, {Header: "Method"}, {Header: "Path"}, {Header: "Operation"},
	{Header: "Status", Right: true}, {Header: "Took ms", Name: "durationMs", Right: true}, {Header: "Fault"},
}

func listRequests(ctx context.Context, d *cmdutil.Deps, l cmdutil.List) error {
	sandbox, err := d.Sandbox()
	if err != nil {
		return err
	}
	fetch := func(q payments.PageQuery) ([]payments.SandboxRequest, *string, error) {
		page, err := sandbox.ListSandboxRequests(ctx, q)
		return page.Data, page.NextCursor, err
	}
	return cmdutil.PrintList(ctx, d, l, requestColumns, "No requests.", fetch, func(r payments.SandboxRequest) []ui.Cell {
		return []ui.Cell{
			ui.Text(strconv.Itoa(r.Number)), ui.Text(cmdutil.Time(r.Time)), ui.Text(r.Method), ui.Text(r.Path), ui.Text(r.Operation),
			status(r.Status), ui.Text(strconv.Itoa(r.DurationMs)), ui.Optional(r.Fault),
		}
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
