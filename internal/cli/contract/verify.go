package contract

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract/verify"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type verifyOptions struct {
	writes bool
	junit  string
}

func newVerify(d *cmdutil.Deps) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check from outside whether the service keeps the contract",
		Long: `Call the service, and check its answers: 401 without and with a wrong token, problem documents, media
types, the form of bodies and headers, 304 for a known entity tag, pages without loss or repetition,
and 405 with Allow. What the profile maps is called where the profile says, and read under the names
that it gives.

Nothing is changed, unless --writes is given. Then the command creates an account, a contact and a
transfer of the smallest amount, and checks what makes it safe to repeat a payment: one key has one
effect, one reference is paid once, other content is refused, and what was sent comes back. A service
that does not keep this pays up to five times. The command asks first; use it with test money. The
journal does not record these writes. It prints the setting of the profile that the checks have proven.

What failed is in three groups: it matters for payments, is only shown differently, or is harmless.
Each failure is shown with the curl command line that repeats the call; set PAYCTL_TOKEN for it, as in
PAYCTL_TOKEN=$(payctl auth token). The exit code is 15 if a check failed.`,
		Example: `  payctl contract verify
  payctl contract verify --writes --yes
  payctl contract verify --junit report.xml
  payctl contract verify -o json --jq '.checks[] | select(.result == "failed") | .curl'`,
		RunE: func(cmd *cobra.Command, _ []string) error { return verifyService(cmd.Context(), d, o) },
	}
	cmd.Flags().BoolVar(&o.writes, "writes", false, "create an account, a contact and a transfer too")
	cmd.Flags().StringVar(&o.junit, "junit", "", "write the checks as JUnit XML to `FILE` too")
	return cmd
}

var tones = map[verify.Result]ui.Tone{verify.Passed: ui.Good, verify.Failed: ui.Bad, verify.Skipped: ui.Dim}

// A verification is the result for programs. Summary counts the checks by their result.
type verification struct {
	Checks  []verify.Check        `json:"checks"`
	Summary map[verify.Result]int `json:"summary"`
	// Profile are settings that the checks have proven.
	Profile map[string]string `json:"profile"`
}

// total is how many checks were made, each at one operation.
func (v verification) total() int {
	return v.Summary[verify.Passed] + v.Summary[verify.Failed] + v.Summary[verify.Skipped]
}

func verifyService(ctx context.Context, d *cmdutil.Deps, o verifyOptions) error {
	if d.Options.Curl {
		return cmdutil.Usage("payctl contract verify makes many calls, so there is no single call for --curl to show")
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	if o.writes {
		const doing = "creating an account, a contact and a transfer"
		mustAsk, err := d.MustAskAnywhere(doing)
		if err == nil && mustAsk {
			err = d.Confirmed(ctx, "Go on with "+doing+"?")
		}
		if err != nil {
			return err
		}
	}
	var report *cmdutil.ReportFile
	if o.junit != "" {
		if report, err = cmdutil.CreateReportFile(o.junit); err != nil {
			return cmdutil.Usage("the report cannot be written: %v", err)
		}
		defer report.Discard()
	}
	service, err := d.Client()
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	if err := service.Authorize(ctx); err != nil {
		return err
	}
	checks, honoursKeys, err := verify.Run(ctx, service.Observe, resolved.ServiceMap, o.writes)
	if err != nil {
		return err
	}
	found := verification{
		Checks: checks, Profile: map[string]string{},
		Summary: map[verify.Result]int{verify.Passed: 0, verify.Failed: 0, verify.Skipped: 0},
	}
	for i, c := range checks {
		checks[i].Message, checks[i].Curl = d.Secrets.Redact(c.Message), d.Secrets.Redact(c.Curl)
		found.Summary[c.Result] += len(c.Operations)
	}
	if honoursKeys && resolved.IdempotencyKeys == "" {
		found.Profile[settings.KeyIdempotencyKeys] = settings.IdempotencyKeysHonoured
		d.Notef("Proven: one key has one effect. If the service promises that, add to the profile: idempotency_keys: honoured.")
	}
	if report != nil {
		found.writeJUnit(report)
		if err := report.Keep(); err != nil {
			return cmdutil.Unwritable("the report", err)
		}
	}
	forPerson, err := checkTable.PrintReport(d, printer, found, found.Checks, found.details)
	n := found.Summary[verify.Failed]
	if err != nil || n == 0 {
		return err
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitCheckFailed, ProblemType: "contract-broken", Title: "The service does not keep the contract.",
		Detail: fmt.Sprintf("%d of %d checks failed", n, found.total()), Printed: forPerson,
		Next: []shell.Hint{shell.Payctl("contract adopt URL").With("for a service that has things elsewhere or under other names")},
	}
}

var checkTable = resource.Table[verify.Check]{
	{
		Column: ui.Column{Header: "Result"},
		Cell:   func(c verify.Check) ui.Cell { return ui.Toned(tones[c.Result], string(c.Result)) },
	},
	{
		Column: ui.Column{Header: "Operations"},
		Cell:   func(c verify.Check) ui.Cell { return ui.Text(strings.Join(c.Operations, ", ")) },
	},
	{Column: ui.Column{Header: "Check"}}, {Column: ui.Column{Header: "Message"}},
	{Column: ui.Column{Header: "Group"}}, {Column: ui.Column{Header: "Curl"}},
}

// details shows a person the checks that did not pass, by groups.
func (v verification) details() (view ui.Details) {
	for _, group := range []verify.Group{verify.Payments, verify.Differs, verify.Harmless, ""} {
		field := ui.Field{Label: cmp.Or(string(group), string(verify.Skipped))}
		for _, c := range v.Checks {
			if c.Group == group && c.Result != verify.Passed {
				text := fmt.Sprintf("%s: %s. (%d: %s)", c.Check, c.Message, len(c.Operations), strings.Join(c.Operations, ", "))
				field.Cells = append(field.Cells, ui.Toned(tones[c.Result], text), ui.Toned(ui.Bold, c.Curl))
			}
		}
		if len(field.Cells) > 0 {
			view = append(view, field)
		}
	}
	return append(view, cmdutil.Field("Total", fmt.Sprintf("%d passed, %d failed, %d skipped",
		v.Summary[verify.Passed], v.Summary[verify.Failed], v.Summary[verify.Skipped]))...)
}

// writeJUnit writes the report that CI systems read. Writing fails when the report is kept.
func (v verification) writeJUnit(w io.Writer) {
	escaped := func(text string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(text))
		return b.String()
	}
	fmt.Fprintf(w, "<testsuite name=\"payctl contract verify\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n",
		v.total(), v.Summary[verify.Failed], v.Summary[verify.Skipped])
	for _, c := range v.Checks {
		for _, op := range c.Operations {
			fmt.Fprintf(w, `<testcase classname="%s" name="%s">`, op, escaped(c.Check))
			switch c.Result {
			case verify.Failed:
				fmt.Fprintf(w, `<failure message="%s" type="%s">%s</failure>`, escaped(c.Message), c.Group, escaped(c.Curl))
			case verify.Skipped:
				fmt.Fprintf(w, `<skipped message="%s"></skipped>`, escaped(c.Message))
			}
			fmt.Fprintln(w, "</testcase>")
		}
	}
	fmt.Fprintln(w, "</testsuite>")
}
