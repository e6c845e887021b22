package batch

import (
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// Bounds of the contract, in characters and in number.
const (
	maxReference     = 128
	maxContact       = 128 // of an external id, which is longer than an identifier or a label
	maxMetadata      = 50
	maxMetadataValue = 500
)

// A plannedRoute is a route of the service with its terms, by which rows are checked, and the sums of the rows that
// take it.
type plannedRoute struct {
	key               payments.RouteKey
	provider          string
	terms             *payments.TransactionInfo
	sourcePlaces      int // decimals of an amount; -1: unknown
	destinationPlaces int
	rows, flexible    int   // flexible rows take whatever amount arrives
	source, target    Total // of the rows whose amount counts on that side
}

// plannedRoutes returns the routes of a service by their keys.
func plannedRoutes(info payments.TransferInfo) map[string]*plannedRoute {
	all := make(map[string]*plannedRoute, len(info.Routes))
	places := func(endpoints []payments.AvailableEndpoint, rail, currency string) int {
		for _, e := range endpoints {
			if e.PaymentRail == rail && e.Currency == currency {
				return e.Decimals
			}
		}
		return -1
	}
	for _, r := range info.Routes {
		key, err := payments.ParseRouteKey(r.RouteKey)
		if err != nil {
			continue // a route that no row can name
		}
		all[r.RouteKey] = &plannedRoute{
			key: key, provider: r.Provider,
			sourcePlaces:      places(info.AvailableSources, key.SourceRail, key.SourceCurrency),
			destinationPlaces: places(info.AvailableDestinations, key.DestinationRail, key.DestinationCurrency),
			source:            Total{Currency: key.SourceCurrency, AmountType: payments.AmountTypeSource},
			target:            Total{Currency: key.DestinationCurrency, AmountType: payments.AmountTypeTarget},
		}
	}
	for i, terms := range info.TransactionsInfo {
		if planned := all[terms.RouteKey]; planned != nil {
			planned.terms = &info.TransactionsInfo[i]
		}
	}
	return all
}

// checkRow returns every error of a row that needs neither other rows nor its contact, with the row's route and
// amount if they are valid.
func checkRow(row *Row, all map[string]*plannedRoute) (planned *plannedRoute, value *payments.Decimal, wrong []error) {
	add := func(member int, format string, args ...any) {
		wrong = append(wrong, row.error(member, format, args...))
	}
	for member, most := range [...]int{reference: maxReference, contact: maxContact} {
		text := *row.values()[member]
		fault := payments.ReferenceFault(text)
		switch {
		case text == "":
			add(member, "is missing")
		case fault != "":
			add(member, "%s", fault)
		case utf8.RuneCountInString(text) > most:
			add(member, "is longer than %d characters", most)
		}
	}
	if row.Route == "" {
		add(route, "is missing")
	} else if planned = all[row.Route]; planned == nil {
		note := ""
		if row.positions[route].Flag != "" && strings.HasSuffix(row.Route, "-") {
			note = "; the shell took the > as a redirection, so write the value in quotes"
		}
		add(route, "%q does not exist%s", row.Route, note)
	}
	start := rows.Position{Line: row.Line, Column: 1}
	for name, text := range row.Metadata {
		if !utf8.ValidString(name) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxMetadataValue {
			wrong = append(wrong, rows.Errorf(start, "%s%s is not UTF-8 or longer than %d characters",
				metadataPrefix, name, maxMetadataValue))
		}
	}
	if len(row.Metadata) > maxMetadata {
		wrong = append(wrong, rows.Errorf(start, "the row has more than %d pieces of metadata", maxMetadata))
	}
	value = checkAmount(row, planned, add)
	return planned, value, wrong
}

// checkAmount adds the errors of a row's amount and returns the amount if it can be read. Planned is the row's route,
// or nil.
func checkAmount(row *Row, planned *plannedRoute, add func(member int, format string, args ...any)) *payments.Decimal {
	switch {
	case row.AmountType != "" && !payments.AmountType(row.AmountType).Valid():
		add(amountType, "must be source or target, not %q", row.AmountType)
		return nil
	case row.AmountType != "" && row.Amount == "":
		add(amountType, "needs an amount")
	}
	if row.Amount == "" {
		return nil
	}
	value, err := payments.ParseDecimal(row.Amount)
	switch {
	case err != nil:
		add(amount, "%v", err)
		return nil
	case value.Zero():
		add(amount, "must be more than zero")
	}
	if planned == nil {
		return &value
	}
	onSource := row.Side() == payments.AmountTypeSource
	places, currency := planned.sourcePlaces, planned.key.SourceCurrency
	if !onSource {
		places, currency = planned.destinationPlaces, planned.key.DestinationCurrency
	}
	if places >= 0 && value.Places() > places {
		add(amount, "has more than the %d decimals of %s", places, currency)
	}
	terms := planned.terms
	if onSource && terms != nil && !value.Zero() && (value.Cmp(terms.MinAmount) < 0 || value.Cmp(terms.MaxAmount) > 0) {
		add(amount, "is not between %s and %s %s, the limits of the route", terms.MinAmount, terms.MaxAmount, currency)
	}
	return &value
}

// count adds a row to the sums of its route.
func (p *plannedRoute) count(side payments.AmountType, value *payments.Decimal) {
	p.rows++
	if value == nil {
		p.flexible++
		return
	}
	total := &p.source
	if side == payments.AmountTypeTarget {
		total = &p.target
	}
	total.Rows++
	total.Amount = total.Amount.Add(*value)
}
