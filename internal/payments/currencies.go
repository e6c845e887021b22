package payments

import "github.com/payctl/payctl/internal/money"

// Currency returns the currency of the side that an amount counts on.
func (k RouteKey) Currency(on AmountType) string {
	if on == AmountTypeTarget {
		return k.DestinationCurrency
	}
	return k.SourceCurrency
}

// Decimals returns how many decimals an amount on a side of a route may have. It is certain if the service or ISO 4217
// says so.
func (i TransferInfo) Decimals(key RouteKey, on AmountType) (decimals int, isCertain bool) {
	endpoints, rail, currency := i.AvailableSources, key.SourceRail, key.Currency(on)
	if on == AmountTypeTarget {
		endpoints, rail = i.AvailableDestinations, key.DestinationRail
	}
	for _, e := range endpoints {
		if e.PaymentRail == rail && e.Currency == currency && e.Decimals != nil {
			return *e.Decimals, true
		}
	}
	return money.CurrencyDecimals(currency)
}
