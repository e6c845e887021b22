package batch

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/payctl/payctl/internal/payments"
)

// topContacts is how many contacts a plan names.
const topContacts = 5

// A Plan describes what a batch is about to send.
type Plan struct {
	BatchID  string        `json:"batchId"`
	File     string        `json:"file"`
	Rows     int           `json:"rows"`
	Flexible int           `json:"flexibleRows"` // that take whatever amount arrives
	Totals   []Total       `json:"totals"`
	Routes   []RoutePlan   `json:"routes"`
	Contacts []ContactPlan `json:"contacts"` // those with most rows
	// MoreContacts counts the other contacts that were looked up.
	MoreContacts int `json:"moreContacts"`
	// Unverified counts the rows whose contact was not looked up.
	Unverified int `json:"unverifiedRows"`
	// PaidBefore are the rows that are paid already according to the journal.
	PaidBefore []PaidBefore `json:"paidBefore,omitempty"`
	// Warnings are what may be wrong with the file.
	Warnings []string `json:"warnings,omitempty"`
}

// A Total is the sum of the amounts of rows in a currency, before fees.
type Total struct {
	Currency   string              `json:"currency"`
	AmountType payments.AmountType `json:"amountType"`
	Rows       int                 `json:"rows"`
	Amount     payments.Decimal    `json:"amount"`
}

// AddTo adds a total to the one of its currency and side.
func (t Total) AddTo(all []Total) []Total {
	for i := range all {
		if all[i].Currency == t.Currency && all[i].AmountType == t.AmountType {
			all[i].Rows += t.Rows
			all[i].Amount = all[i].Amount.Add(t.Amount)
			return all
		}
	}
	return append(all, t)
}

// A RoutePlan describes the rows that take a route.
type RoutePlan struct {
	Route    string    `json:"route"`
	Provider string    `json:"provider"`
	Rows     int       `json:"rows"`
	Fees     []FeePlan `json:"fees"`
}

// A FeePlan is a fee of a route for all its rows: a fixed fee for every row, or a share of what is sent. It leaves
// out the share of rows that take whatever amount arrives.
type FeePlan struct {
	Type     string            `json:"type"`
	Side     string            `json:"side"`
	Currency string            `json:"currency"`
	Rate     *payments.Decimal `json:"rate,omitzero"`
	Amount   payments.Decimal  `json:"amount"`
	// Estimated reports that rows whose amount counts on the target are included at the present rate.
	Estimated bool `json:"estimated"`
}

// A ContactPlan is a contact that receives money.
type ContactPlan struct {
	ID         string `json:"id"`
	Label      string `json:"label"`
	HolderName string `json:"holderName"`
	Rows       int    `json:"rows"`
}

func (c *check) plan() Plan {
	p := Plan{BatchID: c.source.BatchID(), File: c.source.name, Rows: c.rows, Unverified: c.contacts.unverified,
		Warnings: append(c.amounts.warnings(), c.contacts.notReady...)}
	for _, name := range slices.Sorted(maps.Keys(c.routes)) {
		planned := c.routes[name]
		if planned.rows == 0 {
			continue
		}
		p.Flexible += planned.flexible
		p.Routes = append(p.Routes, RoutePlan{name, planned.provider, planned.rows, planned.fees()})
		for _, total := range []Total{planned.source, planned.target} {
			if total.Rows > 0 {
				p.Totals = total.AddTo(p.Totals)
			}
		}
	}
	slices.SortFunc(p.Totals, func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.AmountType, b.AmountType))
	})
	contacts := map[string]ContactPlan{} // rows may call one contact by several names
	for _, b := range c.contacts.byName {
		if b.found {
			contacts[b.ID] = ContactPlan{b.ID, b.Label, b.HolderName, contacts[b.ID].Rows + b.rows}
		}
	}
	p.Contacts = slices.Collect(maps.Values(contacts))
	slices.SortFunc(p.Contacts, func(a, b ContactPlan) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.ID, b.ID))
	})
	if len(p.Contacts) > topContacts {
		p.MoreContacts = len(p.Contacts) - topContacts
		p.Contacts = slices.Clone(p.Contacts[:topContacts])
	}
	return p
}

// fees adds up the fees of the rows of a route.
func (p *plannedRoute) fees() []FeePlan {
	fees := []FeePlan{}
	if p.terms == nil {
		return fees
	}
	for _, fee := range p.terms.Fees {
		line := FeePlan{Type: fee.Type, Side: fee.Side, Currency: fee.Currency, Rate: fee.Rate}
		if fee.Amount != nil {
			line.Amount = fee.Amount.Mul(payments.MustDecimal(strconv.Itoa(p.rows)))
		}
		if fee.Rate != nil {
			base := p.source.Amount
			if p.target.Rows > 0 && !p.terms.ExchangeRate.Zero() {
				line.Estimated = true
				base = base.Add(p.target.Amount.DivUp(p.terms.ExchangeRate, max(p.sourcePlaces, 2)))
			}
			line.Amount = line.Amount.Add(base.Mul(*fee.Rate).RoundUp(max(p.sourcePlaces, 2)))
		}
		fees = append(fees, line)
	}
	return fees
}

// A PaidBefore counts the rows that a batch has paid before: this one, or that of another file with the same payments.
type PaidBefore struct {
	BatchID string `json:"batchId"`
	File    string `json:"file,omitempty"` // its name; empty if it is not known
	Day     string `json:"day"`            // of the first of them
	Rows    int    `json:"rows"`
}

// Rest is how many rows are not paid yet.
func (p Plan) Rest() int {
	rest := p.Rows
	for _, earlier := range p.PaidBefore {
		rest -= earlier.Rows
	}
	return rest
}

// CheckLimits returns the reason why a plan exceeds the most that may be sent in each currency; empty if it does not.
func (p Plan) CheckLimits(most map[string]payments.Decimal) (reason string) {
	if p.Flexible > 0 {
		return "rows without an amount take whatever arrives, so that --max-total cannot be checked"
	}
	sums := map[string]payments.Decimal{}
	for _, t := range p.Totals {
		sums[t.Currency] = sums[t.Currency].Add(t.Amount)
	}
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[currency].String() + " " + currency
		limit, given := most[currency]
		switch {
		case !given:
			return "the rows add up to " + sum + ", for which there is no --max-total"
		case sums[currency].Cmp(limit) > 0:
			return "the rows add up to " + sum + ", which is more than --max-total " + limit.String() + ":" + currency
		}
	}
	return ""
}
