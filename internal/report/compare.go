package report

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// The classes of states. A payment may be expected to be in a class or in a state.
const (
	Paid    = "paid"    // the money has arrived
	Pending = "pending" // it is on its way, or its funds are awaited
	Failed  = "failed"  // the transfer will not deliver its money any more, such as one that was returned or canceled
)

// CheckState returns the error of a text that is neither a class nor a state of transfers.
func CheckState(text string) error {
	if slices.Contains([]string{Paid, Pending, Failed}, text) || payments.TransferState(text).Valid() {
		return nil
	}
	return errors.New("must be paid, pending, failed or a state of transfers such as funds_received")
}

// classOf is the class of a state. A state that payctl does not know is pending.
func classOf(s payments.TransferState) string {
	switch {
	case s.Settled():
		return Paid
	case s.Failed():
		return Failed
	}
	return Pending
}

// isAsExpected reports whether a transfer in a state is as far as expected, or further. A transfer that has failed is so
// only where that is expected.
func isAsExpected(s payments.TransferState, expected string) bool {
	switch expected {
	case Paid, Failed:
		return classOf(s) == expected
	case Pending:
		return classOf(s) != Failed
	}
	return s == payments.TransferState(expected) || s.HasPassed(payments.TransferState(expected))
}

// Kind is the kind of a Finding.
type Kind string

// The kinds.
const (
	Missing   Kind = "missing"   // no transfer has the reference
	Extra     Kind = "extra"     // no payment of the file has the reference of the transfer, or it has none
	Different Kind = "different" // the transfer differs in a member
	Duplicate Kind = "duplicate" // several transfers with the reference have not failed
)

// A Finding is one difference between the file and the transfers. A payment that differs in two members has two
// findings, and each of several transfers with one reference has one.
type Finding struct {
	Kind      Kind                   `json:"finding"`
	Line      int                    `json:"line,omitzero"` // of the file; zero for an extra transfer
	Reference string                 `json:"reference,omitzero"`
	Transfer  string                 `json:"transferId,omitzero"`
	State     payments.TransferState `json:"state,omitzero"`
	// Amount and Currency are those of the payment that is missing, or of the transfer.
	Amount   *payments.Decimal `json:"amount,omitzero"`
	Currency string            `json:"currency,omitzero"`
	// Field is the member that differs, Expected its value in the file, and Found the one of the transfer; an empty one
	// is an amount that is not known yet.
	Field    string `json:"field,omitzero"`
	Expected string `json:"expected,omitzero"`
	Found    string `json:"found,omitzero"`
}

// Summary counts payments by the outcome of the comparison, and transfers that are not expected.
type Summary struct {
	Expected, Matching, Missing, Different, Duplicate, Extra int
	Pending                                                  int // of those that match, how many are not paid yet
}

// Findings is how many payments and transfers are not as they should be.
func (s Summary) Findings() int { return s.Missing + s.Different + s.Duplicate + s.Extra }

// A Comparison compares the payments of a file with transfers.
type Comparison struct {
	*Expected
	// DefaultState is the state that a payment is expected to be in if the file does not say: Paid if it is empty.
	DefaultState string
	// Contacts are those that the file may call by a label or an external id.
	Contacts payments.NamedContacts

	found [][]match // the transfers of each payment
	extra int
}

// A match is a transfer with the reference of a payment.
type match struct {
	id          string
	state       payments.TransferState
	amount      *payments.Decimal
	currency    string
	differences []difference
}

type difference struct{ field, expected, found string }

// NewComparison returns a comparison that has seen no transfer.
func NewComparison(expected *Expected) *Comparison {
	return &Comparison{Expected: expected, found: make([][]match, expected.Len())}
}

// ContactNames are what the file calls contacts that it does not name by an identifier.
func (c *Comparison) ContactNames() map[string]bool {
	names := map[string]bool{}
	for i := range c.payments {
		if name := c.payments[i].Contact; name != "" && !payments.IsContactID(name) {
			names[name] = true
		}
	}
	return names
}

// CheckContacts adds an error for each payment whose contact has a name that several contacts have: a transfer to the
// wrong one of them would be as expected.
func (c *Comparison) CheckContacts() {
	for i := range c.payments {
		p := &c.payments[i]
		if matches := c.Contacts.Find(p.Contact); len(matches) > 1 {
			_ = c.fail(rowError(rows.Position{Line: p.Line, Column: 1}, "%s", payments.AmbiguousContact(p.Contact, matches)))
		}
	}
}

// isContact reports whether a name is one of the contact with the identifier.
func (c *Comparison) isContact(name, id string) bool {
	return name == id || slices.ContainsFunc(c.Contacts.Find(name), func(contact payments.SavedContact) bool {
		return contact.ID == id
	})
}

// Add compares a transfer. The finding is not nil for one that is not expected.
func (c *Comparison) Add(t *payments.Transfer) *Finding {
	at, known := c.byReference[t.Reference]
	if !known || t.Reference == "" {
		c.extra++
		side := sideOf(t, t.AmountType)
		return &Finding{
			Kind: Extra, Reference: t.Reference, Transfer: t.ID, State: t.State, Amount: side.Amount, Currency: side.Currency,
		}
	}
	p := &c.payments[at]
	side := p.side(t)
	m := match{id: t.ID, state: t.State, amount: side.Amount, currency: side.Currency}
	differ := func(field, expected, found string, isDifferent bool) {
		if expected != "" && isDifferent {
			m.differences = append(m.differences, difference{field, expected, found})
		}
	}
	if p.Amount != nil {
		found := ""
		if side.Amount != nil {
			found = side.Amount.String()
		}
		differ(columnAmount, p.Amount.String(), found, side.Amount == nil || !side.Amount.Equal(*p.Amount))
	}
	differ(columnCurrency, p.Currency, side.Currency, !strings.EqualFold(p.Currency, side.Currency))
	differ(columnContact, p.Contact, t.DestinationSavedContactID, !c.isContact(p.Contact, t.DestinationSavedContactID))
	differ(columnRoute, p.Route, t.Route, p.Route != t.Route)
	c.found[at] = append(c.found[at], m)
	return nil
}

func sideOf(t *payments.Transfer, on payments.AmountType) *payments.TransferSide {
	if on == payments.AmountTypeTarget {
		return &t.Destination
	}
	return &t.Source
}

// side is the side of a transfer that the amount of the payment counts on: the one that the file names, or the one with
// the file's currency, or the one that the transfer was made for.
func (p *Payment) side(t *payments.Transfer) *payments.TransferSide {
	isSource := strings.EqualFold(p.Currency, t.Source.Currency)
	isDestination := strings.EqualFold(p.Currency, t.Destination.Currency)
	switch {
	case p.AmountType != "" || isSource == isDestination:
		return sideOf(t, cmp.Or(p.AmountType, t.AmountType))
	case isSource:
		return &t.Source
	}
	return &t.Destination
}

// outcome returns the transfers of a payment that count, and the kind of their finding; empty if all is as expected. A
// transfer that has failed does not count if another one has not: it was replaced.
func (c *Comparison) outcome(i int) ([]match, Kind) {
	all := c.found[i]
	if len(all) == 0 {
		return nil, Missing
	}
	var live []match
	for _, m := range all {
		if !m.state.Failed() {
			live = append(live, m)
		}
	}
	switch len(live) {
	case 0:
		live = all[:1] // the newest
	case 1:
	default:
		return live, Duplicate
	}
	expected := cmp.Or(c.payments[i].State, c.DefaultState, Paid)
	if isAsExpected(live[0].state, expected) && len(live[0].differences) == 0 {
		return live, ""
	}
	return live, Different
}

// Summary counts what was found up to now.
func (c *Comparison) Summary() Summary {
	s := Summary{Expected: c.Len(), Extra: c.extra}
	for i := range c.payments {
		switch found, kind := c.outcome(i); kind {
		case Missing:
			s.Missing++
		case Different:
			s.Different++
		case Duplicate:
			s.Duplicate++
		default:
			s.Matching++
			if classOf(found[0].state) == Pending {
				s.Pending++
			}
		}
	}
	return s
}

// Findings yields what differs, in the order of the file. Extra transfers are not among it.
func (c *Comparison) Findings() iter.Seq[*Finding] {
	return func(yield func(*Finding) bool) {
		for i := range c.payments {
			for _, finding := range c.findings(i) {
				if !yield(finding) {
					return
				}
			}
		}
	}
}

// findings are those of one payment.
func (c *Comparison) findings(i int) (all []*Finding) {
	p := &c.payments[i]
	found, kind := c.outcome(i)
	switch kind {
	case Missing:
		all = append(all, &Finding{Kind: kind, Line: p.Line, Reference: p.Reference, Amount: p.Amount, Currency: p.Currency})
	case Duplicate:
		for _, m := range found {
			all = append(all, m.finding(kind, p))
		}
	case Different:
		m := found[0]
		if expected := cmp.Or(p.State, c.DefaultState, Paid); !isAsExpected(m.state, expected) {
			f := m.finding(kind, p)
			f.Field, f.Expected, f.Found = columnState, expected, string(m.state)
			all = append(all, f)
		}
		for _, d := range m.differences {
			f := m.finding(kind, p)
			f.Field, f.Expected, f.Found = d.field, d.expected, d.found
			all = append(all, f)
		}
	}
	return all
}

// finding is a finding about the transfer.
func (m match) finding(kind Kind, p *Payment) *Finding {
	return &Finding{
		Kind: kind, Line: p.Line, Reference: p.Reference, Transfer: m.id, State: m.state, Amount: m.amount, Currency: m.currency,
	}
}
