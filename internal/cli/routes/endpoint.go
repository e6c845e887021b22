package routes

import (
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// parseEndpoint reads one side of a route as it is written on the command line: rail:CURRENCY@provider. Each part may be
// left out (":USD", "ach", "@northbank").
func parseEndpoint(text string) (*payments.RouteEndpoint, error) {
	rest, provider, hasProvider := strings.Cut(text, "@")
	rail, currency, hasCurrency := strings.Cut(rest, ":")
	if strings.ContainsAny(currency+provider, ":@") || hasProvider && provider == "" || hasCurrency && currency == "" {
		return nil, fmt.Errorf("%q must have the form rail:CURRENCY@provider, such as sepa:EUR; each part may be left out, as in :USD or ach", text)
	}
	endpoint := &payments.RouteEndpoint{}
	for _, part := range []struct {
		text string
		into **string
	}{{rail, &endpoint.PaymentRail}, {strings.ToUpper(currency), &endpoint.Currency}, {provider, &endpoint.Provider}} {
		if part.text != "" {
			*part.into = &part.text
		}
	}
	return endpoint, nil
}
