package transfer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/report"
	"github.com/payctl/payctl/internal/ui"
)

// runReconciliation compares the transfers with the file of --against. The file is checked before a request is sent.
func runReconciliation(ctx context.Context, d *cmdutil.Deps, o *reportOptions) error {
	if err := report.CheckState(o.expectState); o.expectState != "" && err != nil {
		return cmdutil.Usage("--expect-state %v", err)
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	expected, err := o.readExpected(ctx, d)
	if err != nil {
		return err
	}
	comparison := report.NewComparison(expected)
	comparison.DefaultState = o.expectState
	if err := o.findContacts(ctx, d, comparison); err != nil {
		return err
	}
	out := newFindingPrinter(printer)
	err = o.each(ctx, d, &o.Interval, func(t payments.Transfer) error {
		if finding := comparison.Add(&t); finding != nil {
			return out.add(finding)
		}
		return nil
	})
	if err != nil {
		return unfinished(out.abort(err))
	}
	// Findings count, whether or not the output is read to its end.
	if err := out.finish(comparison); err != nil && !ui.IsBrokenPipe(err) {
		return err
	}
	return o.reconciled(d, comparison.Summary())
}

// unfinished returns the error of a comparison that did not see all transfers. A reader of the output that has gone away
// is no success here: the exit code says that there is no finding.
func unfinished(err error) error {
	if !ui.IsBrokenPipe(err) {
		return err
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitCheckFailed, Kind: "payments-not-compared", Title: "Not all transfers were compared.",
		Detail: "The output is not read any more.", Cause: err,
	}
}

// readExpected reads the file of --against, and prints its errors.
func (o *reportOptions) readExpected(ctx context.Context, d *cmdutil.Deps) (*report.Expected, error) {
	mapping, err := o.mapping.Read(report.Members())
	if err != nil {
		return nil, err
	}
	file, err := d.OpenInput(ctx, o.against)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	expected, err := report.ReadExpected(ctx, file, report.Format{Mapping: mapping, DecimalComma: o.decimalComma})
	switch {
	case errors.Is(err, report.ErrUnusable):
		return nil, cmdutil.Usage("%s: %v", cmdutil.InputName(o.against), err)
	case err != nil && ctx.Err() == nil:
		return nil, cmdutil.Usage("%s cannot be read: %v", cmdutil.TheInput(o.against), err)
	case err != nil:
		return nil, err
	case len(expected.Errors) > 0:
		return nil, d.RowErrors(o.against, expected.Errors, expected.MoreErrors, "nothing was compared")
	}
	d.NoteUnused(expected.Ignored)
	return expected, nil
}

// findContacts reads the saved contacts if the file names some by a label or an external id.
func (o *reportOptions) findContacts(ctx context.Context, d *cmdutil.Deps, comparison *report.Comparison) error {
	names := comparison.ContactNames()
	if len(names) == 0 {
		return nil
	}
	service, err := d.Payments()
	if err != nil {
		return err
	}
	comparison.Contacts.Wanted = func(name string) bool { return names[name] }
	if err := comparison.Contacts.Read(ctx, service, payments.SavedContactFilter{}); err != nil {
		return err
	}
	if comparison.CheckContacts(); len(comparison.Errors) > 0 {
		return d.RowErrors(o.against, comparison.Errors, comparison.MoreErrors, "nothing was compared")
	}
	return nil
}

// mostFindings is how many findings are held, so that those of the file come first and a table is aligned as a whole.
// Together they take a few megabytes.
const mostFindings = 10_000

// A findingPrinter prints findings, many at once.
type findingPrinter struct {
	stream *ui.Stream
	format ui.Format
	held   cmdutil.Rows
	begun  bool // something was printed
}

func newFindingPrinter(printer *ui.Printer) *findingPrinter {
	p := &findingPrinter{stream: printer.Stream(findingColumns(printer.Format())), format: printer.Format()}
	p.stream.Advice = adviceForReports
	return p
}

// add adds a finding, and prints those that are held if there are too many.
func (p *findingPrinter) add(finding *report.Finding) error {
	p.held.Add(finding, findingCells(finding, p.format))
	if len(p.held.Values) < mostFindings {
		return nil
	}
	return p.flush()
}

func (p *findingPrinter) flush() error {
	held := p.held
	p.held, p.begun = cmdutil.Rows{}, true
	return p.stream.WritePage(held.Values, held.Cells)
}

// finish prints what differs from the file, in its order, and then the extra transfers that are held.
func (p *findingPrinter) finish(comparison *report.Comparison) error {
	extra := p.held
	p.held = cmdutil.Rows{}
	for finding := range comparison.Findings() {
		if err := p.add(finding); err != nil {
			return err
		}
	}
	p.held.Values, p.held.Cells = append(p.held.Values, extra.Values...), append(p.held.Cells, extra.Cells...)
	return errors.Join(p.flush(), p.stream.Close())
}

// abort ends what was printed so far, so that it can be read, and returns the error that ended it.
func (p *findingPrinter) abort(err error) error {
	if p.begun {
		_ = p.stream.Close() // err says more than a failure to end the output
	}
	return err
}

// reconciled prints how the comparison ended. With findings it is an error.
func (o *reportOptions) reconciled(d *cmdutil.Deps, s report.Summary) error {
	matching := fmt.Sprintf("%d of %s as expected", s.Matching, cmdutil.Count(s.Expected, "payment(s)"))
	if s.Pending > 0 {
		matching += fmt.Sprintf(" (%d not paid yet)", s.Pending)
	}
	if s.Findings() == 0 {
		d.Successf("%s, and no other transfers.", matching)
		return nil
	}
	var parts []string
	for _, part := range []struct {
		count int
		kind  report.Kind
	}{{s.Missing, report.Missing}, {s.Different, report.Different}, {s.Duplicate, report.Duplicate}, {s.Extra, report.Extra}} {
		if part.count > 0 {
			parts = append(parts, strconv.Itoa(part.count)+" "+string(part.kind))
		}
	}
	e := &cmdutil.Error{
		Code: cmdutil.ExitCheckFailed, Kind: "payments-differ", Title: "The transfers are not the expected payments.",
		Detail: matching + ": " + strings.Join(parts, ", "),
	}
	if s.Extra > 0 && !o.given("created-after") && !o.given("batch") {
		e.Next = append(e.Next, "select the transfers that the file is about, for example with --created-after today or --batch BATCH")
	}
	if s.Duplicate > 0 {
		e.Next = append(e.Next, cancelSecond)
	}
	return e
}

// findingColumns are the columns of findings. A table describes in words what CSV has in columns.
func findingColumns(format ui.Format) []ui.Column {
	columns := []ui.Column{
		{Header: "Finding", Keep: true}, {Header: "Line", Right: true}, {Header: "Reference", Keep: true},
		{Header: "Transfer", Name: "transferId", Ends: true}, {Header: "State", Rank: 1},
	}
	if format == ui.FormatTable {
		return append(columns, ui.Column{Header: "Detail", Keep: true})
	}
	return append(columns, ui.Column{Header: "Amount"}, ui.Column{Header: "Currency"},
		ui.Column{Header: "Field"}, ui.Column{Header: "Expected"}, ui.Column{Header: "Found"})
}

func findingCells(f *report.Finding, format ui.Format) []ui.Cell {
	line := ""
	if f.Line > 0 {
		line = strconv.Itoa(f.Line)
	}
	state := ui.Optional("")
	if f.State != "" {
		state = cmdutil.TransferState(f.State)
	}
	cells := []ui.Cell{
		ui.Toned(ui.Bad, string(f.Kind)), ui.Optional(line), ui.Optional(f.Reference), ui.Optional(f.Transfer), state,
	}
	if format == ui.FormatTable {
		return append(cells, ui.Optional(findingDetail(f)))
	}
	return append(cells, number(f.Amount), ui.Optional(f.Currency),
		ui.Optional(f.Field), ui.Optional(f.Expected), ui.Optional(f.Found))
}

// findingDetail describes what differs, or the amount of a payment or transfer that has no other.
func findingDetail(f *report.Finding) string {
	if f.Field != "" {
		found := f.Found
		if found == "" {
			found = "not known yet"
		}
		return f.Field + " is " + found + ", expected " + f.Expected
	}
	if f.Amount == nil {
		return f.Currency
	}
	return strings.TrimSpace(f.Amount.String() + " " + f.Currency)
}
