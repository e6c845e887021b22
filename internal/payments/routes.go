package payments

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/textutil"
)

// RouteChoice is the route of a new transfer. In JSON it is a routeKey, or a TransferRoute object of route selection.
type RouteChoice struct {
	RouteKey string   `json:"routeKey"`
	FlowType FlowType `json:"flowType,omitzero"`
	Provider string   `json:"provider,omitzero"`
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *RouteChoice) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*c = RouteChoice{}
	if d.PeekKind() == '"' {
		return json.UnmarshalDecode(d, &c.RouteKey)
	}
	type object RouteChoice
	return json.UnmarshalDecode(d, (*object)(c))
}

// MarshalJSONTo implements json.MarshalerTo.
func (c RouteChoice) MarshalJSONTo(e *jsontext.Encoder) error {
	if c == (RouteChoice{RouteKey: c.RouteKey}) {
		return json.MarshalEncode(e, c.RouteKey)
	}
	type object RouteChoice
	return json.MarshalEncode(e, object(c))
}

// Contradicts returns an error for each member of the choice that differs from the route.
func (c RouteChoice) Contradicts(route TransferRoute) (fields FieldErrors) {
	for _, member := range []struct{ name, given, actual string }{
		{"route.flowType", string(c.FlowType), string(route.FlowType)},
		{"route.provider", c.Provider, route.Provider},
	} {
		if member.given != "" && member.given != member.actual {
			if fields == nil {
				fields = FieldErrors{}
			}
			fields.Add(member.name, fmt.Sprintf("The %s field must be %s, as the route %s has it.", member.name,
				member.actual, route.RouteKey))
		}
	}
	return fields
}

// A RouteKey holds the parts of a routeKey (specification heading "Route").
type RouteKey struct {
	SourceRail, SourceCurrency, DestinationRail, DestinationCurrency string
}

// ErrNotRouteKey is the error of a text that is not a routeKey.
var ErrNotRouteKey = errors.New("must have the form <source rail>:<source currency>->" +
	"<destination rail>:<destination currency>, such as 'sepa:EUR->base:USDC'")

// ParseRouteKey reads a routeKey. The error is ErrNotRouteKey.
func ParseRouteKey(text string) (RouteKey, error) {
	parts := textutil.Regexp(`^([^:>\s]+):([^:>\s]+)->([^:>\s]+):([^:>\s]+)$`).FindStringSubmatch(text)
	if parts == nil {
		return RouteKey{}, ErrNotRouteKey
	}
	return RouteKey{parts[1], parts[2], parts[3], parts[4]}, nil
}

// String returns the routeKey.
func (k RouteKey) String() string {
	return k.SourceRail + ":" + k.SourceCurrency + "->" + k.DestinationRail + ":" + k.DestinationCurrency
}

// Misses returns why the route does not lead to a contact. It is empty if it does, or if the contact shows too little.
func (k RouteKey) Misses(to SavedContact) string {
	if to.PaymentRail == "" || to.Currency == "" || to.PaymentRail == k.DestinationRail &&
		to.Currency == k.DestinationCurrency {
		return ""
	}
	return fmt.Sprintf("the route %s does not lead to the contact %s, which takes %s:%s", k, to.ID,
		to.PaymentRail, to.Currency)
}

// Matches reports whether an endpoint fits a selection. Every present member must be equal.
func (s *RouteEndpoint) Matches(rail, currency, provider string) bool {
	return s == nil || same(s.PaymentRail, rail) && same(s.Currency, currency) && same(s.Provider, provider)
}

func same(wanted *string, value string) bool { return wanted == nil || *wanted == value }

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
