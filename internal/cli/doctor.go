package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An examination runs the checks of doctor on a subject. The command sets only the flags of the subject.
type examination = func(context.Context, doctor.Subject) []doctor.Finding

// NewDoctor returns `payctl doctor`.
func NewDoctor(d *cmdutil.Deps, examine examination) *cobra.Command {
	var s doctor.Subject
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what is wrong and how to fix it",
		Long: `Check everything that commands depend on. For each problem, print what is wrong and the command that
fixes it.

The command changes nothing, asks you nothing and unlocks no keyring. It ends within 15 seconds,
even if something hangs. To try a client's secret, it fetches a token and revokes it.

The exit code is 0 if no check failed. Otherwise it is that of the first check that failed, since
later failures may follow from it.`,
		Example: `  payctl doctor
  payctl doctor --offline
  payctl doctor -o json | jq -r '.checks[] | select(.result == "failed") | .fix'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd.Context(), d, examine, s)
		},
	}
	cmd.Flags().BoolVar(&s.Offline, "offline", false, "skip the checks that need the network")
	return cmd
}

// A doctorReport is the result for programs. It counts the findings by their result.
type doctorReport struct {
	Checks  []doctor.Finding      `json:"checks"`
	Summary map[doctor.Result]int `json:"summary"`
}

var resultTones = map[doctor.Result]ui.Tone{
	doctor.OK: ui.Good, doctor.Warning: ui.Warn, doctor.Failed: ui.Bad, doctor.Skipped: ui.Dim,
}

var doctorTable = resource.Table[doctor.Finding]{
	{
		Column: ui.Column{Header: "Result"},
		Cell:   func(f doctor.Finding) ui.Cell { return ui.Toned(resultTones[f.Result], string(f.Result)) },
	},
	{Column: ui.Column{Header: "Check"}}, {Column: ui.Column{Header: "Message"}}, {Column: ui.Column{Header: "Fix"}},
	{Column: ui.Column{Header: "Advice"}}, {Column: ui.Column{Header: "Problem", Name: "problem_type"}},
}

// doctorDetails shows a person what was found, by checks, each with what to do about it.
func doctorDetails(all []doctor.Finding, count map[doctor.Result]int) (view ui.Details) {
	for i, f := range all {
		if i == 0 || all[i-1].Check != f.Check {
			view = append(view, ui.Field{Label: f.Check})
		}
		last := &view[len(view)-1].Cells
		*last = append(*last, ui.Toned(resultTones[f.Result], string(f.Result)+": "+f.Message), ui.Text(f.Advice),
			ui.Toned(ui.Bold, f.Fix))
	}
	return append(view, cmdutil.Field("Total", fmt.Sprintf("%d ok, %d warning, %d failed, %d skipped",
		count[doctor.OK], count[doctor.Warning], count[doctor.Failed], count[doctor.Skipped]))...)
}

func runDoctor(ctx context.Context, d *cmdutil.Deps, examine examination, s doctor.Subject) error {
	if d.Options.Curl {
		return cmdutil.Usage("payctl doctor makes several calls at once, so there is no single call for --curl to show")
	}
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	all := examine(ctx, s)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// Programs find each.
	count := map[doctor.Result]int{doctor.OK: 0, doctor.Warning: 0, doctor.Failed: 0, doctor.Skipped: 0}
	var failed []doctor.Finding
	for i, f := range all {
		count[f.Result]++
		if f.Result == doctor.Failed {
			failed = append(failed, f)
		}
		if len(f.Next.Command) > 0 {
			all[i].Fix = d.NextStep(f.Next)
		} else {
			all[i].Advice = f.Next.Note
		}
	}
	forPerson, err := doctorTable.PrintReport(d, printer, doctorReport{all, count}, all,
		func() ui.Details { return doctorDetails(all, count) })
	if err != nil || len(failed) == 0 {
		return err
	}
	return checksFailed(failed, forPerson)
}

// checksFailed is the error of failed checks; later ones may follow from the first. The exit code is that of a command
// which meets the kind of problem. Printed: a person has been shown the report.
func checksFailed(failed []doctor.Finding, printed bool) error {
	first := failed[0]
	met := payments.NewProblem(first.ProblemType, "")
	if strings.HasPrefix(string(first.ProblemType), payments.LocalPrefix) {
		met = payments.NewLocalProblem(first.ProblemType, nil, "", "")
	}
	e := &cmdutil.Error{
		ProblemType: "doctor-failed", Title: "Something does not work.", Detail: first.Check + ": " + first.Message,
		Cause: met, Printed: printed,
	}
	if len(failed) > 1 {
		e.Detail = fmt.Sprintf("%d checks failed, the first of them %s", len(failed), e.Detail)
	}
	return e.WithHint(first.Next)
}
