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

// A Plan is what a batch is about to do.
type Plan struct {
	BatchID  string        `json:"batchId"`
	File     string        `json:"file"`
	Rows     int           `json:"rows"`
	Flexible int           `json:"flexibleRows"` // that take whatever amount arrives
	Totals   []Total       `json:"totals"`
	Routes   []RoutePlan   `json:"routes"`
	Contacts []ContactPlan `json:"contacts"` // those with most rows
	// MoreContacts is how many contacts there are beside them, of those that were looked up.
	MoreContacts int `json:"moreContacts"`
	// Unverified is how many rows there are to contacts beyond those.
	Unverified int `json:"unverifiedRows"`
}

// A Total is what rows ask for in a currency, before fees.
type Total struct {
	Currency   string              `json:"currency"`
	AmountType payments.AmountType `json:"amountType"`
	Rows       int                 `json:"rows"`
	Amount     payments.Decimal    `json:"amount"`
}

// A RoutePlan is what takes a route.
type RoutePlan struct {
	Route    string    `json:"route"`
	Provider string    `json:"provider"`
	Rows     int       `json:"rows"`
	Fees     []FeePlan `json:"fees"`
}

// A FeePlan is what a route costs: a fixed fee for every row, or a share of what is sent. A share of rows that take what
// arrives is not in it.
type FeePlan struct {
	Type     string            `json:"type"`
	Side     string            `json:"side"`
	Currency string            `json:"currency"`
	Rate     *payments.Decimal `json:"rate,omitzero"`
	Amount   payments.Decimal  `json:"amount"`
	// Estimated says that rows whose amount counts on the target are in it at the present rate.
	Estimated bool `json:"estimated"`
}

// A ContactPlan is who receives.
type ContactPlan struct {
	ID         string `json:"id"`
	Label      string `json:"label"`
	HolderName string `json:"holderName"`
	Rows       int    `json:"rows"`
}

func (c *check) plan() Plan {
	p := Plan{BatchID: c.source.ID(), File: c.source.Name, Rows: c.rows, Unverified: c.beyond}
	type of struct {
		currency string
		side     payments.AmountType
	}
	totals := map[of]Total{}
	take := func(currency string, side payments.AmountType, rows int, sum payments.Decimal) {
		if rows == 0 {
			return
		}
		t := totals[of{currency, side}]
		totals[of{currency, side}] = Total{currency, side, t.Rows + rows, t.Amount.Add(sum)}
	}
	for _, name := range slices.Sorted(maps.Keys(c.ways)) {
		w := c.ways[name]
		if w.rows == 0 {
			continue
		}
		p.Flexible += w.flexible
		p.Routes = append(p.Routes, RoutePlan{name, w.provider, w.rows, w.fees()})
		take(w.key.SourceCurrency, payments.AmountTypeSource, w.sources, w.sourceSum)
		take(w.key.DestinationCurrency, payments.AmountTypeTarget, w.targets, w.destSum)
	}
	p.Totals = slices.SortedFunc(maps.Values(totals), func(a, b Total) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.AmountType, b.AmountType))
	})
	for id, b := range c.contacts {
		p.Contacts = append(p.Contacts, ContactPlan{id, b.Label, b.HolderName, b.rows})
	}
	slices.SortFunc(p.Contacts, func(a, b ContactPlan) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.ID, b.ID)) })
	if len(p.Contacts) > topContacts {
		p.MoreContacts = len(p.Contacts) - topContacts
		p.Contacts = slices.Clone(p.Contacts[:topContacts])
	}
	return p
}

// fees adds up what the rows of a way cost.
func (w *way) fees() []FeePlan {
	fees := []FeePlan{}
	if w.terms == nil {
		return fees
	}
	for _, fee := range w.terms.Fees {
		line := FeePlan{Type: fee.Type, Side: fee.Side, Currency: fee.Currency, Rate: fee.Rate}
		if fee.Amount != nil {
			line.Amount = fee.Amount.Mul(payments.MustDecimal(strconv.Itoa(w.rows)))
		}
		if fee.Rate != nil {
			base := w.sourceSum
			if w.targets > 0 && !w.terms.ExchangeRate.Zero() {
				line.Estimated = true
				base = base.Add(w.destSum.DivUp(w.terms.ExchangeRate, max(w.sourcePlaces, 2)))
			}
			line.Amount = line.Amount.Add(base.Mul(*fee.Rate).RoundUp(max(w.sourcePlaces, 2)))
		}
		fees = append(fees, line)
	}
	return fees
}

// Limits holds a plan to the most that may be sent of each currency. The reason is empty when it keeps to them.
func (p Plan) Limits(most map[string]payments.Decimal) (reason string) {
	if p.Flexible > 0 {
		return "rows without an amount take whatever arrives, which no --max-total can hold to"
	}
	sums := map[string]payments.Decimal{}
	for _, t := range p.Totals {
		sums[t.Currency] = sums[t.Currency].Add(t.Amount)
	}
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		limit, given := most[currency]
		switch {
		case !given:
			return "the rows come to " + sums[currency].String() + " " + currency + ", for which there is no --max-total"
		case sums[currency].Cmp(limit) > 0:
			return "the rows come to " + sums[currency].String() + " " + currency + ", which is more than --max-total " + limit.String() + ":" + currency
		}
	}
	return ""
}
