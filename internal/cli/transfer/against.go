package transfer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// runAgainst compares the transfers with the file of --against. The file is checked before a request is sent.
func runAgainst(ctx context.Context, d *cmdutil.Deps, o *reportOptions) error {
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
	c.end, err = o.each(ctx, d, &o.Interval, func(t payments.Transfer) error {
		if c.add(&t); len(c.extras) > resource.MostRead {
			return cmdutil.Usage("more than 100,000 transfers are not in the file").WithNote(selectFewer)
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
const selectFewer = "select the transfers that the file is about, " +
	"for example with --created-after today or --batch BATCH"

// readExpected reads the file of --against, and prints its errors.
func (o *reportOptions) readExpected(ctx context.Context, d *cmdutil.Deps) (*comparison, error) {
	file, err := o.mapping.ReadFile(ctx, d, o.against, expectedMembers, maxExpected)
	if err != nil {
		return nil, err
	}
	c := newComparison(file, o.mapping.Allows("amount"))
	if len(c.errors) > 0 {
		return nil, d.RowErrors(o.against, c.errors, "nothing was compared")
	}
	return c, nil
}

// compared prints how the comparison ended, and what was compared. With findings it is an error.
func (c *comparison) compared(d *cmdutil.Deps, results []comparedPayment) error {
	counts, twice := map[finding]int{}, map[string]bool{}
	for _, r := range results {
		if !twice[r.Reference] { // a payment with several transfers counts once
			counts[r.Finding]++
		}
		twice[r.Reference] = r.Finding == duplicate
	}
	next := map[finding]shell.Hint{
		notCompared: shell.Note("take the amounts from a column with --map amount=COLUMN, or allow rows without one with --set amount="),
		missing:     shell.Note("compare without filters such as --batch: another file, or a single transfer, may have paid what is missing"),
		extra:       shell.Note(selectFewer),
		duplicate:   rowsui.CancelSecond(),
	}
	e := &cmdutil.Error{
		Code: cmdutil.ExitCheckFailed, ProblemType: "payments-differ", Title: "The transfers are not the expected payments.",
	}
	var parts []string
	for _, f := range findings {
		if counts[f] > 0 {
			parts = append(parts, strconv.Itoa(counts[f])+" "+strings.ReplaceAll(string(f), "_", " "))
			if !next[f].IsZero() {
				e.Next = append(e.Next, next[f])
			}
		}
	}
	summary := fmt.Sprintf("%d of %s as expected", counts[matching], cmdutil.Count(len(c.payments), "payment(s)"))
	what := "; compared: " + strings.Join(c.members(), ", ")
	others := "no other transfers"
	if c.end == payments.ListMayGoOn {
		others = "there may be others: the service does not say that its list ends"
	}
	if len(parts) == 0 {
		d.Errorf("%s, and %s%s", summary, others, what) // also with --quiet: it is what the command is for
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

// maxExpected bounds the rows of a file of expected payments by their memory.
const maxExpected = 1_000_000

// expectedMembers are the columns that are compared. They are those of a file for `transfer batch`, which can be
// compared with what was paid. Others are left out, since such a file is often made for something else.
var expectedMembers = rows.Members{
	Names:    []string{"reference", "amount", "amount_type", "currency", "contact", "route", "state"},
	Required: []string{"reference"}, Amount: "amount", LeaveOut: true,
}

// The classes of states. A payment may be expected to be in a class or in a state.
const (
	classPaid    = "paid"    // the money has arrived
	classPending = "pending" // it is on its way, or its funds are awaited
	classFailed  = "failed"  // the transfer will not deliver its money any more, such as one that was returned or canceled
)

// A finding is the result of comparing a payment.
type finding string

// The findings. All but the first are differences.
const (
	matching    finding = "matching"
	missing     finding = "missing"      // no selected transfer has the reference
	extra       finding = "extra"        // no payment of the file has the reference of the transfer, or it has none
	different   finding = "different"    // the transfer differs in a member
	duplicate   finding = "duplicate"    // several transfers with the reference have not failed
	notCompared finding = "not_compared" // all that is in the file is as expected, but it has no amount for the payment
)

// findings are those that are differences, in the order in which they are counted.
var findings = []finding{missing, different, duplicate, notCompared, extra}

// A comparedPayment is what became of a payment: a line of the output. A payment with several transfers has several.
type comparedPayment struct {
	Finding     finding                `json:"finding"`
	Line        int                    `json:"line,omitzero"` // of the file; zero for an extra transfer
	Reference   string                 `json:"reference,omitzero"`
	Transfer    string                 `json:"transferId,omitzero"`
	Beneficiary string                 `json:"beneficiary,omitzero"`
	Amount      *money.Decimal         `json:"amount,omitzero"` // of the transfer, or of a payment that is missing
	Currency    string                 `json:"currency,omitzero"`
	Fees        string                 `json:"fees,omitzero"`
	State       payments.TransferState `json:"state,omitzero"`
	CreatedAt   time.Time              `json:"createdAt,omitzero"`
	UpdatedAt   time.Time              `json:"updatedAt,omitzero"`
	Detail      string                 `json:"detail,omitzero"` // what differs
}

// An expectedPayment is a row of a file: a transfer that is expected.
type expectedPayment struct {
	line   int
	amount *money.Decimal
	// Members that the file leaves out are empty and not compared. The state may be a class of states.
	members map[string]string
	found   []comparedPayment
}

// A comparison compares the payments of a file with transfers.
type comparison struct {
	errors      rows.Errors
	payments    []*expectedPayment
	byReference map[string]*expectedPayment
	has         map[string]bool // members of which a row has a value
	noAmounts   bool            // the user has said that payments need not have an amount
	extras      []comparedPayment
	// contacts are those of the service, which the file may call by a label or an external id.
	contacts payments.NamedContacts
	end      payments.ListEnd // of the transfers
}

// newComparison returns the comparison with the expected payments of a file. noAmounts: they need not have an amount.
func newComparison(file *rows.File, noAmounts bool) *comparison {
	c := &comparison{
		errors: file.Errors, byReference: map[string]*expectedPayment{}, has: map[string]bool{}, noAmounts: noAmounts,
	}
	for _, row := range file.Rows {
		if wrong := c.expect(row); wrong != nil {
			c.errors = append(c.errors, wrong)
		}
	}
	return c
}

// expect adds a row of the file.
func (c *comparison) expect(row rows.Row) *rows.Error {
	p, at := &expectedPayment{line: row.Line, members: map[string]string{}}, map[string]rows.Position{}
	for _, field := range row.Fields {
		at[field.Name] = field.Position
		switch field.Kind {
		case 'n':
		case '"':
			p.members[field.Name], c.has[field.Name] = field.Text, true
		default:
			return rows.Errorf(field.Position, "%s must be a JSON string", field.Name)
		}
	}
	if number := p.members["amount"]; number != "" {
		amount, err := money.ParseDecimal(number)
		if err != nil {
			return rows.Errorf(at["amount"], "amount %q %v", number, err)
		}
		p.amount = &amount
	}
	reference, side, state := p.members["reference"], payments.AmountType(p.members["amount_type"]), p.members["state"]
	first, twice := c.byReference[reference]
	fault := payments.ReferenceFault(reference)
	switch {
	case reference == "":
		return rows.Errorf(cmp.Or(at["reference"], row.Position), "reference is missing")
	case fault != "":
		return rows.Errorf(at["reference"], "reference %s %s", payments.QuoteReference(reference), fault)
	case twice:
		return rows.Errorf(at["reference"], "reference %q is in line %d already", reference, first.line)
	case side != "" && !side.Valid():
		return rows.Errorf(at["amount_type"], "amount_type must be source or target")
	case !slices.Contains([]string{"", classPaid, classPending, classFailed}, state) &&
		!payments.TransferState(state).Valid():
		return rows.Errorf(at["state"], "state must be paid, pending, failed or a state of transfers such as funds_received")
	}
	c.byReference[reference] = p
	c.payments = append(c.payments, p)
	return nil
}

// members are the members in which the payments are compared.
func (c *comparison) members() []string {
	return slices.DeleteFunc(slices.Clone(expectedMembers.Names), func(name string) bool {
		return name == "amount_type" || name != "state" && !c.has[name]
	})
}

// add compares a transfer. One that is not expected is extra.
func (c *comparison) add(t *payments.Transfer) {
	p := c.byReference[t.Reference]
	if p == nil {
		c.extras = append(c.extras, c.describe(t, sideOf(t, t.AmountType), extra))
		return
	}
	side := p.side(t)
	result := c.describe(t, side, matching)
	result.Line = p.line
	var differences []string
	differ := func(name, expected, found string, isDifferent bool) {
		if expected != "" && isDifferent {
			differences = append(differences, name+" is "+cmp.Or(found, "not known yet")+", expected "+expected)
		}
	}
	expected := cmp.Or(p.members["state"], classPaid)
	differ("state", expected, string(t.State), !isAsExpected(t.State, expected))
	if p.amount != nil {
		isEqual := side.Amount != nil && side.Amount.Equal(*p.amount)
		differ("amount", p.amount.String(), cmdutil.Amount(side.Amount, ""), !isEqual)
	}
	currency, contact, route := p.members["currency"], p.members["contact"], p.members["route"]
	differ("currency", currency, side.Currency, !strings.EqualFold(currency, side.Currency))
	// A name of several contacts is different: a transfer to the wrong one of them must not pass as expected.
	to, named := t.DestinationSavedContactID, c.contacts.Find(contact)
	differ("contact", contact, to, contact != to && (len(named) != 1 || named[0].ID != to))
	differ("route", route, t.Route, route != t.Route)
	if result.Detail = strings.Join(differences, "; "); result.Detail != "" {
		result.Finding = different
	} else if p.amount == nil && !c.noAmounts {
		result.Finding, result.Detail = notCompared, "the file has no amount"
	}
	p.found = append(p.found, result)
}

// isAsExpected reports whether a transfer in a state is as far as expected, or further. A transfer that has failed is
// so only where that is expected. A state that payctl does not know is pending.
func isAsExpected(s payments.TransferState, expected string) bool {
	switch expected {
	case classPaid:
		return s.Settled()
	case classFailed:
		return s.Failed()
	case classPending:
		return !s.Failed()
	}
	return s == payments.TransferState(expected) || s.HasPassed(payments.TransferState(expected))
}

// describe describes a transfer, with the amount of one of its sides.
func (c *comparison) describe(t *payments.Transfer, side *payments.TransferSide, f finding) comparedPayment {
	beneficiary := t.DestinationSavedContactID
	for _, contact := range c.contacts.Find(beneficiary) {
		beneficiary = contact.Label + " (" + contact.HolderName + ")" // as in the report of a batch
	}
	return comparedPayment{
		Finding: f, Reference: t.Reference, Transfer: t.ID, Beneficiary: beneficiary,
		Amount: side.Amount, Currency: side.Currency,
		Fees: strings.Join(fees(t.Fees), "; "), State: t.State, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
}

func sideOf(t *payments.Transfer, on payments.AmountType) *payments.TransferSide {
	if on == payments.AmountTypeTarget {
		return &t.Destination
	}
	return &t.Source
}

// side is the side of a transfer that the amount of the payment counts on: the one that the file names, or the one with
// the file's currency, or the one that the transfer was made for.
func (p *expectedPayment) side(t *payments.Transfer) *payments.TransferSide {
	isSource := strings.EqualFold(p.members["currency"], t.Source.Currency)
	isDestination := strings.EqualFold(p.members["currency"], t.Destination.Currency)
	switch side := payments.AmountType(p.members["amount_type"]); {
	case side != "" || isSource == isDestination:
		return sideOf(t, cmp.Or(side, t.AmountType))
	case isSource:
		return &t.Source
	}
	return &t.Destination
}

// results are the lines of one payment. A transfer that has failed does not count if another one has not: it was
// replaced.
func (p *expectedPayment) results() []comparedPayment {
	if len(p.found) == 0 {
		return []comparedPayment{{
			Finding: missing, Line: p.line, Reference: p.members["reference"], Beneficiary: p.members["contact"],
			Amount: p.amount, Currency: p.members["currency"],
		}}
	}
	live := slices.DeleteFunc(slices.Clone(p.found), func(found comparedPayment) bool { return found.State.Failed() })
	if len(live) == 0 {
		return p.found[:1] // the newest
	}
	for i := range live {
		if len(live) > 1 {
			live[i].Finding = duplicate
		}
	}
	return live
}

// results are the lines of all payments, in the order of the file, and then the extra transfers.
func (c *comparison) results() (all []comparedPayment) {
	for _, p := range c.payments {
		all = append(all, p.results()...)
	}
	return append(all, c.extras...)
}
