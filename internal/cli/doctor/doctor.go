// Package doctor is `payctl doctor`.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	var offline bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what is wrong, and what mends it",
		Long: `Look at everything that commands depend on, and tell what is wrong and which command mends it: the configuration, the
profile, who may read the files, the keyring, the credentials, the journal, the way to the service, its certificate, the
clock, whether the service takes the credentials, and where its own OpenAPI document differs from what payctl relies on.

Nothing is changed, nobody is asked anything, no keyring is unlocked, and it ends within 15 seconds whatever hangs. To try a
client's secret, a token is fetched and given back.

The exit code is 0 when nothing failed, and otherwise that of the first check that did: those after it may follow from it.`,
		Example: `  payctl doctor
  payctl doctor --offline
  payctl doctor -o json | jq -r '.checks[] | select(.result == "failed") | .mend'`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), d, offline) },
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "leave out what needs the network")
	return cmd
}

func run(ctx context.Context, d *deps.Deps, offline bool) error {
	if d.Options.Curl {
		return deps.Usage("payctl doctor makes several calls side by side, so that --curl has no first one to show")
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	report := d.Examine(ctx, offline)
	failed := report.Failed() // whose hints are addressed when the error is told
	for i, check := range report.Checks {
		report.Checks[i].Mend = d.Addressed(check.Mend)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var value any = report
	if printer.Format() == term.FormatNDJSON {
		value = report.Checks // a line each
	}
	err = printer.Print(value, func() term.View {
		if d.OutTTY && printer.Format() == term.FormatTable {
			return checklist(report)
		}
		return table(report)
	})
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return &deps.Unwell{
			Failed: len(failed), Kind: failed[0].Kind, First: failed[0].Check + ": " + failed[0].Message,
			Mend: cmp.Or(failed[0].Mend, failed[0].Advice), Shown: d.OutTTY && printer.Format() == term.FormatTable,
		}
	}
	return nil
}

func tone(r doctor.Result) term.Tone {
	switch r {
	case doctor.OK:
		return term.Good
	case doctor.Warning:
		return term.Warn
	case doctor.Failed:
		return term.Bad
	default:
		return term.Dim
	}
}

func checklist(report doctor.Report) term.Checklist {
	list := term.Checklist{Total: total(report.Summary)}
	last := ""
	for _, f := range report.Checks {
		name := f.Check
		if name == last {
			name = "" // several findings of one check stand below each other
		}
		last = f.Check
		list.Checks = append(list.Checks, term.Check{Tone: tone(f.Result), Name: name, Text: f.Message, Mend: f.Mend, Advice: f.Advice})
	}
	return list
}

func total(s doctor.Summary) string {
	var parts []string
	for _, part := range []struct {
		count int
		what  string
	}{{s.OK, "ok"}, {s.Warning, "warning"}, {s.Failed, "failed"}, {s.Skipped, "skipped"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

func table(report doctor.Report) term.Table {
	t := term.Table{Columns: []term.Column{{Header: "Result"}, {Header: "Check"}, {Header: "Message"}, {Header: "Mend"}, {Header: "Advice"}, {Header: "Kind"}}}
	for _, f := range report.Checks {
		t.Rows = append(t.Rows, []term.Cell{term.Toned(tone(f.Result), string(f.Result)), term.Text(f.Check), term.Text(f.Message),
			term.Text(f.Mend), term.Text(f.Advice), term.Text(string(f.Kind))})
	}
	return t
}
