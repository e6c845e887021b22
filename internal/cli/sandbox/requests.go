package sandbox

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func newRequests(d *deps.Deps) *cobra.Command {
	return deps.Group("requests", "See what was asked of the service", newRequestsList(d), newRequestsClear(d))
}

func newRequestsList(d *deps.Deps) *cobra.Command {
	l := deps.List{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the client's requests, newest first",
		Long: `List the client's requests, newest first; the service keeps the latest 1000. The log has no bodies, queries or credentials, and
of an idempotency key its hash. The sandbox's own operations are not in it.`,
		Example: `  payctl sandbox requests list --limit 5
  payctl sandbox requests list --all --jq '[.[] | select(.operation == "createAutoTransfer")] | length'`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return listRequests(cmd.Context(), d, l) },
	}
	l.AddTo(cmd)
	return cmd
}

var requestColumns = []term.Column{
	{Header: "Request", Name: "number", Right: true}, {Header: "Time"}, {Header: "Method"}, {Header: "Path"}, {Header: "Operation"},
	{Header: "Status", Right: true}, {Header: "Took ms", Name: "durationMs", Right: true}, {Header: "Fault"},
}

func listRequests(ctx context.Context, d *deps.Deps, l deps.List) error {
	sandbox, err := d.Sandbox()
	if err != nil {
		return err
	}
	fetch := func(q payments.PageQuery) ([]payments.SandboxRequest, *string, error) {
		page, err := sandbox.ListSandboxRequests(ctx, q)
		return page.Data, page.NextCursor, err
	}
	return deps.Show(ctx, d, l, requestColumns, "No requests.", fetch, func(r payments.SandboxRequest) []term.Cell {
		return []term.Cell{term.Text(strconv.Itoa(r.Number)), term.Text(deps.Time(r.Time)), term.Text(r.Method), term.Text(r.Path), term.Text(r.Operation),
			status(r.Status), term.Text(strconv.Itoa(r.DurationMs)), term.Optional(r.Fault)}
	})
}

// status shows a status in its tone; a dash where none was made.
func status(code int) term.Cell {
	switch {
	case code == 0:
		return term.Optional("")
	case code >= 400:
		return term.Toned(term.Bad, strconv.Itoa(code))
	}
	return term.Text(strconv.Itoa(code))
}

func newRequestsClear(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "clear",
		Short:   "Empty the request log",
		Example: "  payctl sandbox requests clear",
		Args:    deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.Context(), d, func(s payments.Sandbox) (cleared, error) {
				return cleared{true}, s.ClearSandboxRequests(cmd.Context())
			}, func(cleared) term.Details { return term.Details{field("Requests", term.Text("none"))} })
		},
	}
}

// cleared is what is told of a log that was emptied.
type cleared struct {
	Cleared bool `json:"cleared"`
}
