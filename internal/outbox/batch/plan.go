package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

const (
	topContacts = 5   // contacts that a plan names
	together    = 512 // rows that are looked up in the journal at once
)

// A Plan describes what a batch is about to send.
type Plan struct {
	BatchID      string        `json:"batchId"`
	File         string        `json:"file"`
	Rows         int           `json:"rows"`
	Flexible     int           `json:"flexibleRows"` // that take whatever amount arrives
	Totals       []Total       `json:"totals"`
	Routes       []*RoutePlan  `json:"routes"`
	Contacts     []ContactPlan `json:"contacts"` // those with most rows
	MoreContacts int           `json:"moreContacts"`
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
	Amount     money.Decimal       `json:"amount"`
	// Arrived are the rows whose money has arrived.
	Arrived int `json:"arrivedRows,omitzero"`
}

// AddTo adds a total to the one of its currency and side.
func (t Total) AddTo(all []Total) []Total {
	for i := range all {
		if all[i].Currency == t.Currency && all[i].AmountType == t.AmountType {
			all[i].Rows += t.Rows
			all[i].Arrived += t.Arrived
			all[i].Amount = all[i].Amount.Add(t.Amount)
			return all
		}
	}
	return append(all, t)
}

// String is the total as people read it.
func (t Total) String() string {
	text := t.Amount.String() + " " + t.Currency
	switch {
	case t.AmountType != payments.AmountTypeTarget:
	case t.Rows > 0 && t.Arrived == t.Rows:
		text += " delivered"
	default:
		text += " to be delivered"
	}
	return text
}

// A RoutePlan describes the rows that take a route.
type RoutePlan struct {
	Route    string         `json:"route"`
	Provider string         `json:"provider"`
	Rows     int            `json:"rows"`
	Fees     []payments.Fee `json:"fees"` // of each row, as the service announces them

	key   payments.RouteKey
	info  *payments.TransferInfo
	terms *payments.TransactionInfo
}

// A ContactPlan is a contact that receives money.
type ContactPlan struct {
	ID         string `json:"id"`
	Label      string `json:"label"`
	HolderName string `json:"holderName"`
	Rows       int    `json:"rows"`
}

// routePlans returns the routes of a service by their keys, without any row.
func routePlans(info payments.TransferInfo) map[string]*RoutePlan {
	all := make(map[string]*RoutePlan, len(info.Routes))
	for _, r := range info.Routes {
		if key, err := payments.ParseRouteKey(r.RouteKey); err == nil { // otherwise no row can name it
			all[r.RouteKey] = &RoutePlan{Route: r.RouteKey, Provider: r.Provider, Fees: []payments.Fee{}, key: key, info: &info}
		}
	}
	for i, terms := range info.TransactionsInfo {
		if route := all[terms.RouteKey]; route != nil {
			route.terms, route.Fees = &info.TransactionsInfo[i], terms.Fees
		}
	}
	return all
}

// add adds a row that takes a route. It returns its amount, and what is wrong with that.
func (p *Plan) add(route *RoutePlan, request *payments.NewAutoTransfer) (sum *Total, fault string) {
	if route.Rows++; route.Rows == 1 {
		p.Routes = append(p.Routes, route)
	}
	amount := request.Amount
	if amount == nil {
		p.Flexible++
		return nil, ""
	}
	currency := route.key.Currency(request.AmountType)
	decimals, isCertain := route.info.Decimals(route.key, request.AmountType)
	sum = &Total{Currency: currency, AmountType: request.AmountType, Rows: 1, Amount: amount.Written(decimals)}
	p.Totals = sum.AddTo(p.Totals)
	switch terms := route.terms; {
	case isCertain && amount.Places() > decimals:
		fault = fmt.Sprintf("amount has more than the %d decimals of %s", decimals, currency)
	case terms == nil, request.AmountType == payments.AmountTypeTarget:
	case amount.Cmp(terms.MinAmount) < 0, amount.Cmp(terms.MaxAmount) > 0:
		fault = fmt.Sprintf("amount is not between %s and %s %s, the limits of the route",
			terms.MinAmount, terms.MaxAmount, currency)
	}
	return sum, fault
}

// addContacts sets what the plan has of contacts, once all rows are added.
func (t *Transfers) addContacts() {
	contacts := map[string]ContactPlan{} // rows may call one contact by several names
	for _, to := range t.contacts {
		if to.rows > 0 {
			contacts[to.ID] = ContactPlan{to.ID, to.Label, to.HolderName, contacts[to.ID].Rows + to.rows}
		}
	}
	all := slices.SortedFunc(maps.Values(contacts), func(a, b ContactPlan) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.ID, b.ID))
	})
	t.Contacts = all[:min(len(all), topContacts)]
	t.MoreContacts = len(all) - len(t.Contacts)
}

// A PaidBefore counts the rows that a batch has paid before: this one, or that of another file with the same payments.
type PaidBefore struct {
	BatchID string `json:"batchId"`
	File    string `json:"file,omitempty"` // its name; empty if it is not known
	Day     string `json:"day"`            // of the first of them
	Rows    int    `json:"rows"`
}

// Rest is how many rows are not paid yet.
func (p *Plan) Rest() int {
	rest := p.Rows
	for _, earlier := range p.PaidBefore {
		rest -= earlier.Rows
	}
	return rest
}

// AddTo adds rows to those of their batch.
func (p PaidBefore) AddTo(all []PaidBefore) []PaidBefore {
	for i := range all {
		if before := &all[i]; before.BatchID == p.BatchID {
			before.Rows, before.Day, before.File = before.Rows+p.Rows, min(before.Day, p.Day), cmp.Or(before.File, p.File)
			return all
		}
	}
	return append(all, p)
}

// FindPaidBefore sets the rows that were paid before according to the journal: with the same content, by this batch or by
// another one.
func (p *Plan) FindPaidBefore(ctx context.Context, rows []*Row, o *outbox.Outbox) error {
	errFound := errors.New("found")
	err := o.Journal.Each(ctx, journal.Filter{}, func(entry journal.Entry) error {
		if entry.Operation == contract.CreateAutoTransfer.ID && entry.Outcome == journal.OutcomeDone {
			return errFound
		}
		return nil
	})
	if !errors.Is(err, errFound) { // the journal has no payment, as in a new container: nothing needs to be looked up
		return err
	}
	for all := range slices.Chunk(rows, together) {
		entries, err := o.Lookup(ctx, prepare(all))
		if err != nil {
			return unreadable(err)
		}
		for i, entry := range entries {
			if entry.Outcome == journal.OutcomeDone && entry.Fingerprint == all[i].write.Intent.Fingerprint &&
				!entry.IsOfOtherWorld(o.World()) {
				before := PaidBefore{BatchID: entry.BatchID, File: entry.File, Day: entry.Began.UTC().Format(time.DateOnly), Rows: 1}
				p.PaidBefore = before.AddTo(p.PaidBefore)
			}
			all[i].write = nil
		}
	}
	slices.SortFunc(p.PaidBefore, func(a, b PaidBefore) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.BatchID, b.BatchID))
	})
	return nil
}

// CheckLimits returns the reason why a plan exceeds the most that may be sent in each currency; empty if it does not.
func (p *Plan) CheckLimits(most map[string]money.Decimal) (reason string) {
	if p.Flexible > 0 {
		return "rows without an amount take whatever arrives, so that --max-total cannot be checked"
	}
	sums := map[string]money.Decimal{}
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
