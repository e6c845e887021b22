package contract

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract/verify"
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
filters, and 405 with Allow. What the profile maps is called where the profile says, and read under
the names that it gives.

Nothing is changed, unless --writes is given. Then the command creates an account, a contact and a
transfer of the smallest amount, and checks what makes it safe to repeat a payment: one key has one
effect, one reference is paid once, and other content is refused. It asks first; use it with test
money. The journal does not record these writes.

Each failure is shown with the curl command line that repeats the call; set PAYCTL_TOKEN for it, as in
PAYCTL_TOKEN=$(payctl auth token). The exit code is 15 if a check failed.`,
		Example: `  payctl contract verify
  payctl contract verify --writes --yes
  payctl contract verify --junit report.xml
  payctl contract verify -o json --jq '.checks[] | select(.result == "failed") | .curl'`,
		Args: cmdutil.Args(),
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
		if err := confirmWrites(ctx, d); err != nil {
			return err
		}
	}
	var report *cmdutil.ReportFile
	if o.junit != "" {
		if report, err = cmdutil.CreateReport(ctx, o.junit); err != nil {
			return cmdutil.Usage("the report cannot be written: %v", err)
		}
		defer report.Discard()
	}
	found := verification{Checks: []verify.Check{}, Summary: map[verify.Result]int{verify.Passed: 0, verify.Failed: 0, verify.Skipped: 0}}
	err = d.Verify(ctx, o.writes, func(c verify.Check) {
		c.Message, c.Curl = d.Redact(c.Message), d.Redact(c.Curl)
		found.Checks = append(found.Checks, c)
		found.Summary[c.Result]++
	})
	if err != nil {
		return err
	}
	if report != nil {
		err = errors.Join(xml.NewEncoder(report).Encode(found.junit()), report.Keep(true))
		if err != nil {
			return cmdutil.Unwritable("the report", o.junit, err)
		}
	}
	var value any = found
	if printer.Format() == ui.FormatNDJSON {
		value = found.Checks // a line each
	}
	forPerson := d.OutTTY && printer.Format() == ui.FormatTable
	if err := printer.Print(value, func() ui.View { return found.view(forPerson) }); err != nil {
		return err
	}
	n := found.Summary[verify.Failed]
	if n == 0 {
		return nil
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitCheckFailed, Kind: "contract-broken", Title: "The service does not keep the contract.",
		Detail: fmt.Sprintf("%d of %d checks failed", n, len(found.Checks)), Printed: forPerson,
		Next: []string{"payctl contract adopt URL   (for a service that has things elsewhere or under other names)"},
	}
}

func confirmWrites(ctx context.Context, d *cmdutil.Deps) error {
	const doing = "creating an account, a contact and a transfer"
	mustAsk, err := d.MustAskAnywhere(doing)
	if err != nil || !mustAsk {
		return err
	}
	return d.Confirmed(ctx, "Go on with "+doing+"?")
}

// view shows all checks in a table, or to a person those that did not pass.
func (v verification) view(forPerson bool) ui.View {
	table := ui.Table{Columns: []ui.Column{
		{Header: "Result"}, {Header: "Operation"}, {Header: "Check"}, {Header: "Message"}, {Header: "Curl"},
	}}
	list := ui.Checklist{Total: fmt.Sprintf("%d passed, %d failed, %d skipped",
		v.Summary[verify.Passed], v.Summary[verify.Failed], v.Summary[verify.Skipped])}
	for _, c := range v.Checks {
		table.Rows = append(table.Rows, []ui.Cell{
			ui.Toned(tones[c.Result], string(c.Result)), ui.Text(c.Operation), ui.Text(c.Check), ui.Text(c.Message), ui.Text(c.Curl),
		})
		if c.Result != verify.Passed {
			list.Checks = append(list.Checks, ui.Check{
				Tone: tones[c.Result], Name: c.Operation, Text: c.Check + ": " + c.Message + ".", Fix: c.Curl,
			})
		}
	}
	if forPerson {
		return list
	}
	return table
}

// A suite is the form of a report that CI systems read.
type suite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *message `xml:"failure"`
	Skipped *message `xml:"skipped"`
}

type message struct {
	Text string `xml:"message,attr"`
	Body string `xml:",chardata"`
}

func (v verification) junit() suite {
	s := suite{
		Name: "payctl contract verify", Tests: len(v.Checks), Failures: v.Summary[verify.Failed], Skipped: v.Summary[verify.Skipped],
	}
	for _, c := range v.Checks {
		test := testCase{Class: c.Operation, Name: c.Check}
		switch c.Result {
		case verify.Failed:
			test.Failure = &message{c.Message, c.Curl}
		case verify.Skipped:
			test.Skipped = &message{c.Message, ""}
		}
		s.Cases = append(s.Cases, test)
	}
	return s
}
