package transfer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// runAgainst compares the transfers with the file of --against. The file is checked before a request is sent.
func runAgainst(ctx context.Context, d *invocation.Deps, o *reportOptions) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	c, err := o.readExpected(ctx, d)
	if err != nil {
		return err
	}
	service, err := d.Payments()
	if err == nil { // the file may name contacts by a label, and the output names beneficiaries
		err = c.contacts.Read(ctx, service, payments.SavedContactFilter{})
	}
	if err != nil {
		return err
	}
	err = o.each(ctx, d, &o.Interval, func(t payments.Transfer) error {
		if c.add(&t); len(c.extras) > resource.MostRead {
			return exit.Usage("more than 100,000 transfers are not in the file").WithHint(selectFewer)
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Findings count, whether or not the output is read to its end.
	results := c.results()
	if err := comparisonTable.Print(printer, results, ""); err != nil && !ui.IsBrokenPipe(err) {
		return err
	}
	return c.compared(d, results)
}

// selectFewer is what to do about transfers that the file is not about.
const selectFewer = "select the transfers that the file is about, for example with --created-after today or --batch BATCH"

// readExpected reads the file of --against, and prints its errors.
func (o *reportOptions) readExpected(ctx context.Context, d *invocation.Deps) (*comparison, error) {
	mapping, err := o.mapping.Read(expectedMembers)
	if err != nil {
		return nil, err
	}
	file, err := d.OpenInput(ctx, o.against)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, err := readExpected(ctx, invocation.InputName(o.against), file, mapping)
	switch {
	case errors.Is(err, rows.ErrUnusable):
		return nil, exit.Usage("%v; nothing was compared", err)
	case err != nil:
		return nil, err
	case len(c.First) > 0:
		return nil, d.RowErrors(o.against, c.Errors, "nothing was compared")
	}
	d.NoteUnused(c.unused)
	return c, nil
}

// compared prints how the comparison ended, and what was compared. With findings it is an error.
func (c *comparison) compared(d *invocation.Deps, results []comparedPayment) error {
	counts, twice := map[finding]int{}, map[string]bool{}
	for _, r := range results {
		if !twice[r.Reference] { // a payment with several transfers counts once
			counts[r.Finding]++
		}
		twice[r.Reference] = r.Finding == duplicate
	}
	next := map[finding]string{
		notCompared: "take the amounts from a column with --map amount=COLUMN, or allow rows without one with --set amount=",
		extra:       selectFewer,
		duplicate:   rowsui.CancelSecond,
	}
	e := &exit.Error{
		Code: exit.ExitCheckFailed, Kind: "payments-differ", Title: "The transfers are not the expected payments.",
	}
	var parts []string
	for _, f := range findings {
		if counts[f] > 0 {
			parts = append(parts, strconv.Itoa(counts[f])+" "+strings.ReplaceAll(string(f), "_", " "))
			if next[f] != "" {
				e.Next = append(e.Next, next[f])
			}
		}
	}
	summary := fmt.Sprintf("%d of %s as expected", counts[matching], display.Count(len(c.payments), "payment(s)"))
	what := "; compared: " + strings.Join(c.members(), ", ")
	if len(parts) == 0 {
		d.Errorf("%s, and no other transfers%s", summary, what) // also with --quiet: it is what the command is for
		return nil
	}
	e.Detail = summary + ": " + strings.Join(parts, ", ") + what
	return e
}

// comparisonTable shows what became of payments.
var comparisonTable = resource.Table[comparedPayment]{
	{Column: ui.Column{Header: "Finding", Keep: true}, Cell: func(p comparedPayment) ui.Cell {
		tone := ui.Bad
		if p.Finding == matching {
			tone = ui.Good
		}
		return ui.Toned(tone, string(p.Finding))
	}},
	{Column: ui.Column{Header: "Line", Right: true}, Cell: func(p comparedPayment) ui.Cell {
		if p.Line == 0 {
			return ui.Optional("")
		}
		return ui.Text(strconv.Itoa(p.Line))
	}},
	{Column: ui.Column{Header: "Reference", Keep: true}},
	{Column: ui.Column{Header: "Beneficiary", Rank: 3}},
	{Column: ui.Column{Header: "Amount", Right: true, Rank: 4}},
	{Column: ui.Column{Header: "Currency", Rank: 4}},
	{Column: ui.Column{Header: "Fees"}, In: resource.InCSV},
	{Column: ui.Column{Header: "State", Rank: 2}},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Rank: 1}},
	{Column: ui.Column{Header: "Changed", Name: "updatedAt"}, In: resource.InCSV},
	{Column: ui.Column{Header: "Transfer", Name: "transferId", Ends: true}},
	{Column: ui.Column{Header: "Detail", Keep: true}},
}
