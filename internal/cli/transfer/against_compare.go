package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// The classes of states. A payment may be expected to be in a class or in a state.
const (
	classPaid    = "paid"    // the money has arrived
	classPending = "pending" // it is on its way, or its funds are awaited
	classFailed  = "failed"  // the transfer will not deliver its money any more, such as one that was returned or canceled
)

// checkExpectedState returns the error of a text that is neither a class nor a state of transfers.
func checkExpectedState(text string) error {
	if slices.Contains([]string{classPaid, classPending, classFailed}, text) || payments.TransferState(text).Valid() {
		return nil
	}
	return errors.New("must be paid, pending, failed or a state of transfers such as funds_received")
}

// classOf is the class of a state. A state that payctl does not know is pending.
func classOf(s payments.TransferState) string {
	switch {
	case s.Settled():
		return classPaid
	case s.Failed():
		return classFailed
	}
	return classPending
}

// isAsExpected reports whether a transfer in a state is as far as expected, or further. A transfer that has failed is so
// only where that is expected.
func isAsExpected(s payments.TransferState, expected string) bool {
	switch expected {
	case classPaid, classFailed:
		return classOf(s) == expected
	case classPending:
		return classOf(s) != classFailed
	}
	return s == payments.TransferState(expected) || s.HasPassed(payments.TransferState(expected))
}

// A finding is the result of comparing a payment.
type finding string

// The findings. All but the first are differences.
const (
	matching    finding = "matching"
	missing     finding = "missing"      // no transfer has the reference
	extra       finding = "extra"        // no payment of the file has the reference of the transfer, or it has none
	different   finding = "different"    // the transfer differs in a member
	duplicate   finding = "duplicate"    // several transfers with the reference have not failed
	notCompared finding = "not_compared" // all that is in the file is as expected, but it has no amount for the payment
)

// findings are those that are differences, in the order in which they are counted.
var findings = []finding{missing, different, duplicate, notCompared, extra}

// A difference is a member in which a transfer is not as expected. An empty Found is an amount that is not known yet.
type difference struct {
	Field    string `json:"field"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// A comparedPayment is what became of a payment: a line of the output. A payment with several transfers has several.
type comparedPayment struct {
	Finding     finding                `json:"finding"`
	Line        int                    `json:"line,omitzero"` // of the file; zero for an extra transfer
	Reference   string                 `json:"reference,omitzero"`
	Transfer    string                 `json:"transferId,omitzero"`
	Beneficiary string                 `json:"beneficiary,omitzero"`
	Amount      *payments.Decimal      `json:"amount,omitzero"` // of the transfer, or of a payment that is missing
	Currency    string                 `json:"currency,omitzero"`
	Fees        string                 `json:"fees,omitzero"`
	State       payments.TransferState `json:"state,omitzero"`
	CreatedAt   time.Time              `json:"createdAt,omitzero"`
	UpdatedAt   time.Time              `json:"updatedAt,omitzero"`
	Differences []difference           `json:"differences,omitempty"`
}

// A comparison compares the payments of a file with transfers.
type comparison struct {
	*expectedFile
	// contacts are those of the service, which the file may call by a label or an external id.
	contacts payments.NamedContacts

	found  [][]comparedPayment // the transfers of each payment
	extras int
}

func newComparison(expected *expectedFile) *comparison {
	return &comparison{expectedFile: expected, found: make([][]comparedPayment, len(expected.payments))}
}

// checkContacts adds an error for each payment whose contact has a name that several contacts have: a transfer to the
// wrong one of them would be as expected.
func (c *comparison) checkContacts() {
	for i := range c.payments {
		p := &c.payments[i]
		if matches := c.contacts.Find(p.contact); len(matches) > 1 {
			c.Add(rows.Errorf(rows.Position{Line: p.line, Column: 1}, "%s", payments.AmbiguousContact(p.contact, matches)))
		}
	}
}

// isContact reports whether a name is one of the contact with the identifier.
func (c *comparison) isContact(name, id string) bool {
	return name == id || slices.ContainsFunc(c.contacts.Find(name), func(contact payments.SavedContact) bool {
		return contact.ID == id
	})
}

// add compares a transfer. The result is not nil for one that is not expected.
func (c *comparison) add(t *payments.Transfer) *comparedPayment {
	at, known := c.byReference[t.Reference]
	if !known || t.Reference == "" {
		c.extras++
		return new(c.describe(t, sideOf(t, t.AmountType), extra))
	}
	p := &c.payments[at]
	side := p.side(t)
	result := c.describe(t, side, matching)
	result.Line = p.line
	differ := func(field, expected, found string, isDifferent bool) {
		if expected != "" && isDifferent {
			result.Finding = different
			result.Differences = append(result.Differences, difference{field, expected, found})
		}
	}
	expected := cmp.Or(p.state, classPaid)
	differ(columnState, expected, string(t.State), !isAsExpected(t.State, expected))
	if p.amount != nil {
		found := ""
		if side.Amount != nil {
			found = side.Amount.String()
		}
		differ(columnAmount, p.amount.String(), found, side.Amount == nil || !side.Amount.Equal(*p.amount))
	}
	differ(columnCurrency, p.currency, side.Currency, !strings.EqualFold(p.currency, side.Currency))
	differ(columnContact, p.contact, t.DestinationSavedContactID, !c.isContact(p.contact, t.DestinationSavedContactID))
	differ(columnRoute, p.route, t.Route, p.route != t.Route)
	if result.Finding == matching && p.amount == nil && !c.noAmounts {
		result.Finding = notCompared
	}
	c.found[at] = append(c.found[at], result)
	return nil
}

// describe describes a transfer, with the amount of one of its sides.
func (c *comparison) describe(t *payments.Transfer, side *payments.TransferSide, f finding) comparedPayment {
	beneficiary := t.DestinationSavedContactID
	for _, contact := range c.contacts.Find(beneficiary) {
		beneficiary = contact.Label
		if contact.HolderName != contact.Label {
			beneficiary = fmt.Sprintf("%s (%s)", contact.Label, contact.HolderName)
		}
	}
	return comparedPayment{
		Finding: f, Reference: t.Reference, Transfer: t.ID, Beneficiary: beneficiary, Amount: side.Amount, Currency: side.Currency,
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
	isSource := strings.EqualFold(p.currency, t.Source.Currency)
	isDestination := strings.EqualFold(p.currency, t.Destination.Currency)
	switch {
	case p.amountType != "" || isSource == isDestination:
		return sideOf(t, cmp.Or(p.amountType, t.AmountType))
	case isSource:
		return &t.Source
	}
	return &t.Destination
}

// results are the lines of one payment. A transfer that has failed does not count if another one has not: it was
// replaced.
func (c *comparison) results(i int) []comparedPayment {
	p, all := &c.payments[i], c.found[i]
	if len(all) == 0 {
		return []comparedPayment{{
			Finding: missing, Line: p.line, Reference: p.reference, Beneficiary: p.contact, Amount: p.amount, Currency: p.currency,
		}}
	}
	var live []comparedPayment
	for _, found := range all {
		if !found.State.Failed() {
			live = append(live, found)
		}
	}
	if len(live) == 0 {
		return all[:1] // the newest
	}
	if len(live) > 1 {
		for k := range live {
			live[k].Finding = duplicate
		}
	}
	return live
}

// all yields the lines of all payments, in the order of the file. Extra transfers are not among it.
func (c *comparison) all() iter.Seq[*comparedPayment] {
	return func(yield func(*comparedPayment) bool) {
		for i := range c.payments {
			for _, result := range c.results(i) {
				if !yield(&result) {
					return
				}
			}
		}
	}
}

// count counts the payments of each finding, and of those that match how many are not paid yet.
func (c *comparison) count() (counts map[finding]int, pending int) {
	counts = map[finding]int{extra: c.extras}
	for i := range c.payments {
		first := c.results(i)[0]
		counts[first.Finding]++
		if first.Finding == matching && classOf(first.State) == classPending {
			pending++
		}
	}
	return counts, pending
}
