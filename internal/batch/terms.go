package batch

import (
	"fmt"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
)

// Bounds of the contract, in characters and in number.
const (
	maxReference     = 128
	maxContact       = 64
	maxMetadata      = 50
	maxMetadataValue = 500
)

// A way is a route with what is needed to check rows that take it.
type way struct {
	key                payments.RouteKey
	provider           string
	terms              *payments.TransactionInfo
	sourcePlaces       int // decimals of an amount; -1: not known
	destinationPlaces  int
	rows, flexible     int
	sources, targets   int // rows with an amount on that side
	sourceSum, destSum payments.Decimal
}

// ways are the routes of a service.
func ways(info payments.TransferInfo) map[string]*way {
	all := make(map[string]*way, len(info.Routes))
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
		all[r.RouteKey] = &way{
			key: key, provider: r.Provider,
			sourcePlaces:      places(info.AvailableSources, key.SourceRail, key.SourceCurrency),
			destinationPlaces: places(info.AvailableDestinations, key.DestinationRail, key.DestinationCurrency),
		}
	}
	for i, terms := range info.TransactionsInfo {
		if w := all[terms.RouteKey]; w != nil {
			w.terms = &info.TransactionsInfo[i]
		}
	}
	return all
}

// inspect tells everything that is wrong with a row by itself, and its way and amount where these are right.
func inspect(row *Row, all map[string]*way) (w *way, value *payments.Decimal, mistakes []*Mistake) {
	wrong := func(member int, format string, args ...any) {
		mistakes = append(mistakes, row.mistake(member, format, args...))
	}
	for at, most := range [...]int{reference: maxReference, contact: maxContact} {
		text := row.values[at]
		fault := payments.ReferenceFault(text)
		switch {
		case text == "":
			wrong(at, "is missing")
		case fault != "":
			wrong(at, "%s", fault)
		case !utf8.ValidString(text):
			wrong(at, "is not UTF-8")
		case utf8.RuneCountInString(text) > most:
			wrong(at, "is longer than %d characters", most)
		}
	}
	if row.Route() == "" {
		wrong(route, "is missing")
	} else if w = all[row.Route()]; w == nil {
		wrong(route, "%q is none that the service has", row.Route())
	}
	for name, text := range row.Metadata {
		if !utf8.ValidString(name) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxMetadataValue {
			mistakes = append(mistakes, &Mistake{Place{row.Line, 1}, fmt.Sprintf("%s%s is not UTF-8 or longer than %d characters", metadataPrefix, name, maxMetadataValue)})
		}
	}
	if len(row.Metadata) > maxMetadata {
		mistakes = append(mistakes, &Mistake{Place{row.Line, 1}, fmt.Sprintf("there are more than %d pieces of metadata", maxMetadata)})
	}
	value = inspectAmount(row, w, wrong)
	return w, value, mistakes
}

// inspectAmount tells everything that is wrong with the amount of a row, by its way where it has one, and the amount where it can
// be read.
func inspectAmount(row *Row, w *way, wrong func(member int, format string, args ...any)) *payments.Decimal {
	switch {
	case row.AmountType() != "" && !payments.AmountType(row.AmountType()).Valid():
		wrong(amountType, "must be source or target, not %q", row.AmountType())
		return nil
	case row.AmountType() != "" && row.Amount() == "":
		wrong(amountType, "stands without an amount")
	}
	if row.Amount() == "" {
		return nil
	}
	value, err := payments.ParseDecimal(row.Amount())
	switch {
	case err != nil:
		wrong(amount, "%v", err)
		return nil
	case value.Zero():
		wrong(amount, "must be more than zero")
	}
	if w == nil {
		return &value
	}
	onSource := row.side() == payments.AmountTypeSource
	places, currency := w.sourcePlaces, w.key.SourceCurrency
	if !onSource {
		places, currency = w.destinationPlaces, w.key.DestinationCurrency
	}
	if places >= 0 && value.Places() > places {
		wrong(amount, "has more than the %d decimals of %s", places, currency)
	}
	if onSource && w.terms != nil && !value.Zero() && (value.Cmp(w.terms.MinAmount) < 0 || value.Cmp(w.terms.MaxAmount) > 0) {
		wrong(amount, "is not between %s and %s %s, the bounds of the route", w.terms.MinAmount, w.terms.MaxAmount, currency)
	}
	return &value
}

// count takes a row into the sums of its way.
func (w *way) count(side payments.AmountType, value *payments.Decimal) {
	w.rows++
	switch {
	case value == nil:
		w.flexible++
	case side == payments.AmountTypeTarget:
		w.targets++
		w.destSum = w.destSum.Add(*value)
	default:
		w.sources++
		w.sourceSum = w.sourceSum.Add(*value)
	}
}
