package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/effect"
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
	Flexible     int           `json:"flexibleRows"` // rows that take whatever amount arrives
	Totals       []Total       `json:"totals"`
	Routes       []*RoutePlan  `json:"routes"`
	Contacts     []ContactPlan `json:"contacts"` // those with most rows
	MoreContacts int           `json:"moreContacts"`
	// PaidBefore are the rows that the journal has as paid.
	PaidBefore []PaidBefore `json:"paidBefore,omitempty"`
	// Changed are the contacts that differ from the last payee with the same name.
	Changed []string `json:"changedPayees,omitempty"`
	// Similar are rows that pay the same amount to the same contact as another row or recent payment.
	Similar []Similar `json:"similar,omitempty"`
	// Warnings are what may be wrong with the file.
	Warnings []string `json:"warnings,omitempty"`
	// Digest identifies all rows with their totals, routes and payees, paid or not.
	Digest string `json:"digest"`

	// Held is why no row is sent: together they pass the limit of a day, or have no limit. Nil means that they fit.
	Held *payments.ProblemError `json:"-"`
}

// A Similar row pays the same as another row or recent payment.
type Similar struct {
	Line      int    `json:"line"`
	Reference string `json:"reference"`
	Other     string `json:"other"` // its reference
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

// AddTo adds a total to the one with its currency and side.
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

// String returns the total for a person.
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
	// Estimate is for the rows with an amount. It is nil if the service shows too little.
	Estimate *Estimate `json:"estimate,omitempty"`

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

// routePlans returns the routes of a service by key, without rows.
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

// add adds a row with a route. It returns the row's amount, and what is wrong with it.
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
	switch e := NewEstimate(route.key, *route.info, route.terms, sum.Amount, request.AmountType); {
	case e == nil:
	case route.Estimate == nil:
		route.Estimate = e
	default:
		route.Estimate.Leaves, route.Estimate.Arrives = route.Estimate.Leaves.Add(e.Leaves),
			route.Estimate.Arrives.Add(e.Arrives)
	}
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

// addContacts sets the plan's contacts, after all rows are added.
func (t *Transfers) addContacts() {
	contacts := map[string]ContactPlan{} // a contact may have several names
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

// A PaidBefore counts the rows that a batch has paid before. It is this batch, or another with the same payments.
type PaidBefore struct {
	BatchID string `json:"batchId"`
	File    string `json:"file,omitempty"` // its name; empty if not known
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

// FindPaidBefore sets the rows that the journal has as paid with the same content, by this batch or another.
func (p *Plan) FindPaidBefore(ctx context.Context, rows []*Row, o *outbox.Outbox) error {
	for all := range slices.Chunk(rows, together) {
		entries, err := o.Lookup(ctx, prepare(all))
		if err != nil {
			return unreadable(err)
		}
		for i, entry := range entries {
			isHere := !entry.IsOfOtherWorld(o.World())
			all[i].isDone, all[i].isOpen = isHere && entry.Outcome == effect.Done, isHere && entry.IsOpen()
			if all[i].isDone && entry.Fingerprint == all[i].write.Pending.Fingerprint {
				before := PaidBefore{BatchID: entry.BatchID, File: entry.File, Day: entry.Began.UTC().Format(time.DateOnly),
					Rows: 1}
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

// CheckRest checks the rows that are not paid yet against the journal: limits, changed payees and similar payments.
func (t *Transfers) CheckRest(ctx context.Context, file *File[payments.NewAutoTransfer], o *outbox.Outbox) error {
	rest := slices.DeleteFunc(slices.Clone(file.Items),
		func(item *Item[payments.NewAutoTransfer]) bool { return item.isDone })
	refused, err := o.Journal.Check(ctx, len(rest), func(i int) journal.PendingWrite {
		pending := journal.PendingWrite{Body: []byte{}, World: o.World(), Payee: *rest[i].payee, Repeats: rest[i].isOpen}
		if sum := rest[i].Sum; sum != nil {
			pending.Amount, pending.Currency = sum.Amount.String(), sum.Currency
		}
		return pending
	})
	if err != nil {
		return unreadable(err)
	}
	for i, item := range rest {
		for _, why := range refused[i] {
			switch kind := why.ProblemType(); {
			case kind == payments.ProblemAboveLimit:
				item.Wrong("amount", "%s Pay this row separately, with payctl transfer auto.", why.Detail)
			case kind == payments.ProblemHeldBack:
				t.Held = cmp.Or(t.Held, why)
			case !slices.Contains(t.Changed, why.Detail):
				t.Changed = append(t.Changed, why.Detail)
			}
		}
	}
	known, err := o.Journal.Alike(ctx, "", "")
	if err != nil {
		return unreadable(err)
	}
	for _, item := range file.Items {
		if item.Sum == nil {
			continue
		}
		other := known.Add(item.ContactID, item.Sum.Currency, item.Sum.Amount, item.Request.Reference)
		if other != "" && !item.isDone && !item.isOpen {
			t.Similar = append(t.Similar, Similar{item.Line, item.Request.Reference, other})
		}
	}
	if n := len(t.Similar); n > 0 {
		t.Warnings = append(t.Warnings,
			fmt.Sprintf("rows that pay the same amount to the same contact as another row, or as a payment of the "+
				"last 72 hours: %d, such as line %d (%s) as %s", n, t.Similar[0].Line, t.Similar[0].Reference, t.Similar[0].Other))
	}
	return nil
}

func (t *Transfers) digest(file *File[payments.NewAutoTransfer]) error {
	all := []any{t.Totals}
	for _, route := range t.Routes {
		all = append(all, route.Route, route.Provider)
	}
	for _, item := range file.Items {
		all = append(all, item.Request, item.payee)
	}
	hash := sha256.New()
	err := json.MarshalWrite(hash, all, json.Deterministic(true))
	t.Digest = hex.EncodeToString(hash.Sum(nil))
	return err
}

// CheckLimits returns why a plan exceeds the most that may be sent in each currency, or "".
func (p *Plan) CheckLimits(most map[string]money.Decimal) (reason string) {
	if p.Flexible > 0 {
		return "rows without an amount take whatever arrives, so --max-total cannot be checked"
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
			return "the rows add up to " + sum + ", and no --max-total has this currency"
		case sums[currency].Cmp(limit) > 0:
			return "the rows add up to " + sum + ", which is more than --max-total " + limit.String() + ":" + currency
		}
	}
	return ""
}
