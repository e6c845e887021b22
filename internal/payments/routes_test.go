package payments

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

func TestParseRouteKeyRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "->", ":->:", "sepa:EUR", "sepa:EUR->", "->base:USDC", "sepa->base:USDC", "sepa:EUR->base", "sepa:->base:USDC",
		":EUR->base:USDC",
		"sepa:EUR=>base:USDC", "sepa:EUR-> base:USDC", "sepa:EUR ->base:USDC", "sepa:EUR:x->base:USDC",
		"sepa:EUR->base:USDC->wire:USD",
	} {
		_, err := ParseRouteKey(text)
		require.ErrorIs(t, err, ErrNotRouteKey, "%q", text)
	}
}

func TestRouteChoiceForms(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]RouteChoice{
		`"sepa:EUR->base:USDC"`: {RouteKey: "sepa:EUR->base:USDC"},
		`"\u0073epa"`:           {RouteKey: "sepa"},
		`{"routeKey":"sepa:EUR->base:USDC","flowType":"onramp","provider":"europay","later":[1]}`: {
			"sepa:EUR->base:USDC", FlowTypeOnramp, "europay",
		},
		`{}`: {},
	} {
		request := NewAutoTransfer{Route: RouteChoice{Provider: "of before"}}
		require.NoError(t, json.Unmarshal([]byte(`{"destinationSavedContactId":"sct_1","route":`+text+`}`), &request), text)
		require.Equal(t, expected, request.Route, text)
	}
	for _, text := range []string{`1`, `true`, `["sepa"]`, `{"routeKey":1}`, `{"routeKey":"a","routeKey":"b"}`} {
		var choice RouteChoice
		require.Error(t, json.Unmarshal([]byte(text), &choice), text)
	}
	for choice, expected := range map[RouteChoice]string{
		{RouteKey: "a:b->c:d"}:                 `"a:b->c:d"`,
		{"a:b->c:d", FlowTypeSwap, "coincore"}: `{"routeKey":"a:b->c:d","flowType":"swap","provider":"coincore"}`,
	} {
		encoded, err := json.Marshal(NewAutoTransfer{DestinationSavedContactID: "sct_1", Route: choice})
		require.NoError(t, err)
		require.JSONEq(t, `{"destinationSavedContactId":"sct_1","route":`+expected+`}`, string(encoded))
	}
}

func TestRouteEndpointMatches(t *testing.T) {
	t.Parallel()
	ach, usd, bank, empty := "ach", "USD", "northbank", ""
	var anything *RouteEndpoint
	require.True(t, anything.Matches("ach", "USD", "northbank"))
	require.True(t, (&RouteEndpoint{}).Matches("ach", "USD", "northbank"))
	all := RouteEndpoint{PaymentRail: &ach, Currency: &usd, Provider: &bank}
	require.True(t, all.Matches("ach", "USD", "northbank"))
	require.False(t, (&RouteEndpoint{PaymentRail: &ach}).Matches("wire", "USD", "northbank"))
	require.False(t, (&RouteEndpoint{Currency: &usd}).Matches("ach", "EUR", "northbank"))
	require.False(t, (&RouteEndpoint{Provider: &bank}).Matches("ach", "USD", "europay"))
	require.False(t, (&RouteEndpoint{Currency: &empty}).Matches("ach", "USD", "northbank"),
		"present but empty is not absent")
}
