// Package doctor implements `payctl doctor`.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	var c cmdutil.ExamineConfig
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what is wrong and how to fix it",
		Long: `Check everything that commands depend on. For each problem, print what is wrong and the command that fixes it.

The checks: the configuration, the profile, who can read the files, the keyring, the credentials, the journal, the
proxy, the service, its certificate, the clocks, whether the service accepts the credentials, and where its own OpenAPI
document differs from the contract.

The command changes nothing, asks you nothing and unlocks no keyring. It ends within 15 seconds, even if something
hangs. To try a client's secret, it fetches a token and revokes it.

With --database it checks the PostgreSQL database of payctl serve, and nothing else: the connection, the schema and its
version, the settings that keep data safe, and the connections that are left. If PAYCTL_SERVE_DATABASE is set, it checks
that database too.

The exit code is 0 if no check failed. Otherwise it is that of the first check that failed, since later failures may
follow from it.`,
		Example: `  payctl doctor
  payctl doctor --offline
  payctl doctor --database postgres://payctl@db.example/payctl
  payctl doctor -o json | jq -r '.checks[] | select(.result == "failed") | .fix'`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.OnlyDatabase = c.Database.URL != ""
			variable := func(flag string, value *string) {
				if !cmd.Flags().Changed(flag) {
					*value = cmp.Or(d.Getenv(settings.Variable("serve", flag)), *value)
				}
			}
			variable("database", &c.Database.URL)
			variable("schema", &c.Database.Schema)
			if c.Database.URL == "" && cmd.Flags().Changed("schema") {
				return cmdutil.Usage("--schema needs a database with --database")
			}
			if err := cmdutil.CheckSchema(c.Database.Schema); err != nil {
				return err
			}
			return run(cmd.Context(), d, c)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&c.Offline, "offline", false, "skip the checks that need the network")
	f.StringVar(&c.Database.URL, "database", "", "check nothing but the PostgreSQL database of payctl serve at this `URL`")
	f.StringVar(&c.Database.Schema, "schema", cmdutil.DefaultSchema, "the `NAME` of the schema in --database")
	cmd.MarkFlagsMutuallyExclusive("offline", "database")
	return cmd
}

func run(ctx context.Context, d *cmdutil.Deps, c cmdutil.ExamineConfig) error {
	if d.Options.Curl {
		return cmdutil.Usage("payctl doctor makes several calls at once, so there is no single call for --curl to show")
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	report := d.Examine(ctx, c)
	failed := report.Failed() // before flags are added to the fixes, since the error's report adds them too
	for i, check := range report.Checks {
		report.Checks[i].Fix = d.WithServiceFlags(check.Fix)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var value any = report
	if printer.Format() == ui.FormatNDJSON {
		value = report.Checks // a line each
	}
	err = printer.Print(value, func() ui.View {
		if d.OutTTY && printer.Format() == ui.FormatTable {
			return checklist(report)
		}
		return table(report)
	})
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		first := failed[0]
		return checksFailed(len(failed), first.Check+": "+first.Message, cmp.Or(first.Fix, first.Advice),
			first.Kind, d.OutTTY && printer.Format() == ui.FormatTable)
	}
	return nil
}

// checksFailed is the error of failed checks. First is what the first of them found, and fix what to do about it. The
// exit code is that of a command which meets the kind of problem. Printed: a person has been shown the report.
func checksFailed(failed int, first, fix string, kind payments.Kind, printed bool) error {
	met := payments.NewProblem(kind, "")
	if strings.HasPrefix(string(kind), payments.LocalPrefix) {
		met = payments.NewLocalProblem(kind, nil, "", "")
	}
	e := &cmdutil.Error{
		Kind: "doctor-failed", Title: "Something does not work.", Detail: first, Cause: met, Printed: printed,
	}
	if failed > 1 {
		e.Detail = fmt.Sprintf("%d checks failed, the first of them %s", failed, first)
	}
	return e.WithHint(fix)
}

func tone(r doctor.Result) ui.Tone {
	switch r {
	case doctor.OK:
		return ui.Good
	case doctor.Warning:
		return ui.Warn
	case doctor.Failed:
		return ui.Bad
	default:
		return ui.Dim
	}
}

func checklist(report doctor.Report) ui.Checklist {
	list := ui.Checklist{Total: total(report.Summary)}
	last := ""
	for _, f := range report.Checks {
		name := f.Check
		if name == last {
			name = "" // the name is shown once for several findings of one check
		}
		last = f.Check
		check := ui.Check{Tone: tone(f.Result), Name: name, Text: f.Message, Fix: f.Fix, Advice: f.Advice}
		list.Checks = append(list.Checks, check)
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

func table(report doctor.Report) ui.Table {
	t := ui.Table{Columns: []ui.Column{
		{Header: "Result"}, {Header: "Check"}, {Header: "Message"}, {Header: "Fix"}, {Header: "Advice"}, {Header: "Kind"},
	}}
	for _, f := range report.Checks {
		t.Rows = append(t.Rows, []ui.Cell{ui.Toned(tone(f.Result), string(f.Result)), ui.Text(f.Check), ui.Text(f.Message),
			ui.Text(f.Fix), ui.Text(f.Advice), ui.Text(string(f.Kind))})
	}
	return t
}
