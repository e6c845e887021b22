package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// runAgainst compares the transfers with the file of --against. The file is checked before a request is sent.
func runAgainst(ctx context.Context, d *cmdutil.Deps, o *reportOptions) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	expected, err := o.readExpected(ctx, d)
	if err != nil {
		return err
	}
	c := newComparison(expected)
	if err := o.findContacts(ctx, d, c); err != nil {
		return err
	}
	var extras []comparedPayment
	err = o.each(ctx, d, &o.Interval, func(t payments.Transfer) error {
		if result := c.add(&t); result != nil {
			if extras = append(extras, *result); len(extras) > resource.MostRead {
				return cmdutil.Usage("more than 100,000 transfers are not in the file").WithHint(selectFewer)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Findings count, whether or not the output is read to its end.
	if err := printComparison(printer, c, extras); err != nil && !ui.IsBrokenPipe(err) {
		return err
	}
	return o.compared(d, c)
}

// selectFewer is what to do about transfers that the file is not about.
const selectFewer = "select the transfers that the file is about, for example with --created-after today or --batch BATCH"

// readExpected reads the file of --against, and prints its errors.
func (o *reportOptions) readExpected(ctx context.Context, d *cmdutil.Deps) (*expectedFile, error) {
	mapping, err := o.mapping.Read(expectedMembers())
	if err != nil {
		return nil, err
	}
	file, err := d.OpenInput(ctx, o.against)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	expected, err := readExpected(ctx, cmdutil.InputName(o.against), file, mapping)
	switch {
	case errors.Is(err, rows.ErrUnusable):
		return nil, cmdutil.Usage("%v; nothing was compared", err)
	case err != nil && ctx.Err() == nil:
		return nil, cmdutil.Usage("%s cannot be read: %v", cmdutil.TheInput(o.against), err)
	case err != nil:
		return nil, err
	case len(expected.First) > 0:
		return nil, d.RowErrors(o.against, expected.Errors, "nothing was compared")
	}
	d.NoteUnused(expected.unused)
	return expected, nil
}

// findContacts reads the saved contacts: the file may name some by a label or an external id, and the output names
// beneficiaries.
func (o *reportOptions) findContacts(ctx context.Context, d *cmdutil.Deps, c *comparison) error {
	service, err := d.Payments()
	if err != nil {
		return err
	}
	if err := c.contacts.Read(ctx, service, payments.SavedContactFilter{}); err != nil {
		return err
	}
	if c.checkContacts(); len(c.First) > 0 {
		return d.RowErrors(o.against, c.Errors, "nothing was compared")
	}
	return nil
}

// printComparison prints the payments of the file, in its order, and then the extra transfers.
func printComparison(printer *ui.Printer, c *comparison, extras []comparedPayment) error {
	page := cmdutil.Rows{}
	for result := range c.all() {
		page.Add(*result, comparisonCells(result, printer.Format()))
	}
	for _, result := range extras {
		page.Add(result, comparisonCells(&result, printer.Format()))
	}
	stream := printer.Stream(comparisonColumns(printer.Format()))
	stream.Advice = adviceForReports
	return errors.Join(stream.WritePage(page.Values, page.Cells), stream.Close())
}

// compared prints how the comparison ended, and what was compared. With findings it is an error.
func (o *reportOptions) compared(d *cmdutil.Deps, c *comparison) error {
	counts, pending := c.count()
	summary := fmt.Sprintf("%d of %s as expected", counts[matching], cmdutil.Count(len(c.payments), "payment(s)"))
	if pending > 0 {
		summary += fmt.Sprintf(" (%d not paid yet)", pending)
	}
	what := "; compared: " + strings.Join(c.expectedFile.compared(), ", ")
	var parts []string
	for _, f := range findings {
		if counts[f] > 0 {
			parts = append(parts, strconv.Itoa(counts[f])+" "+strings.ReplaceAll(string(f), "_", " "))
		}
	}
	if len(parts) == 0 {
		d.Errorf("%s, and no other transfers%s", summary, what) // also with --quiet: it is what the command is for
		return nil
	}
	e := &cmdutil.Error{
		Code: cmdutil.ExitCheckFailed, Kind: "payments-differ", Title: "The transfers are not the expected payments.",
		Detail: summary + ": " + strings.Join(parts, ", ") + what,
	}
	if counts[notCompared] > 0 {
		e.Next = append(e.Next, "take the amounts from a column with --map amount=COLUMN, or allow rows without one with --set amount=")
	}
	if counts[extra] > 0 && !o.given("created-after") && !o.given("batch") {
		e.Next = append(e.Next, selectFewer)
	}
	if counts[duplicate] > 0 {
		e.Next = append(e.Next, rowsui.CancelSecond)
	}
	return e
}

// comparisonColumns are the columns of what became of payments. A table leaves out what it has no room for.
func comparisonColumns(format ui.Format) []ui.Column {
	columns := []ui.Column{
		{Header: "Finding", Keep: true}, {Header: "Line", Right: true}, {Header: "Reference", Keep: true},
		{Header: "Beneficiary", Rank: 3}, {Header: "Amount", Right: true, Rank: 4}, {Header: "Currency", Rank: 4},
		{Header: "Fees"}, {Header: "State", Rank: 2}, {Header: "Created", Name: "createdAt", Rank: 1},
		{Header: "Changed", Name: "updatedAt"}, {Header: "Transfer", Name: "transferId", Ends: true},
		{Header: "Detail", Keep: true},
	}
	if format == ui.FormatTable {
		return slices.DeleteFunc(columns, func(c ui.Column) bool { return c.Header == "Fees" || c.Header == "Changed" })
	}
	return columns
}

func comparisonCells(p *comparedPayment, format ui.Format) []ui.Cell {
	line, at := "", func(t time.Time) ui.Cell {
		if t.IsZero() {
			return ui.Optional("")
		}
		return cmdutil.TimeCell(t)
	}
	if p.Line > 0 {
		line = strconv.Itoa(p.Line)
	}
	state, tone := ui.Optional(""), ui.Bad
	if p.State != "" {
		state = cmdutil.TransferState(p.State)
	}
	if p.Finding == matching {
		tone = ui.Good
	}
	cells := []ui.Cell{
		ui.Toned(tone, string(p.Finding)), ui.Optional(line), ui.Optional(p.Reference), ui.Optional(p.Beneficiary),
		ui.Optional(cmdutil.Amount(p.Amount, p.Currency)), ui.Optional(p.Currency), ui.Optional(p.Fees), state, at(p.CreatedAt),
		at(p.UpdatedAt), ui.Optional(p.Transfer),
		ui.Optional(p.detail()),
	}
	if format == ui.FormatTable {
		cells = slices.Delete(cells, 9, 10)
		cells = slices.Delete(cells, 6, 7)
	}
	return cells
}

// detail describes what differs.
func (p *comparedPayment) detail() string {
	if p.Finding == notCompared {
		return "the file has no amount"
	}
	var parts []string
	for _, d := range p.Differences {
		parts = append(parts, d.Field+" is "+cmp.Or(d.Found, "not known yet")+", expected "+d.Expected)
	}
	return strings.Join(parts, "; ")
}
