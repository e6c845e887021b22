package payments

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// FuzzRouteChoice holds a route in a body to be a string, or an object whose members are some, as encoding/json reads it; and
// what was read to be written so that it is read again.
func FuzzRouteChoice(f *testing.F) {
	for _, seed := range []string{
		`{"routekey":"a"}`, "\"\\u0073epa\"", "{}", "null", "1",
		`{"routeKey":"a:b->c:d","later":[1,{"x":null}]}`, `"sepa:EUR->base:USDC"`, `{"routeKey":"a"`,
		`{"routeKey":"a","routeKey":"b"}`, `{"routeKey":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var choice RouteChoice
		err := json.Unmarshal(value, &choice) // by UnmarshalJSONFrom
		var text string
		var object struct {
			RouteKey string   `json:"routeKey"`
			FlowType FlowType `json:"flowType"`
			Provider string   `json:"provider"`
		}
		asText, asObject := json.Unmarshal(value, &text), json.Unmarshal(value, &object)
		switch {
		case err != nil:
			require.Error(t, asText, "%q", value)
		case asText == nil:
			require.Equal(t, RouteChoice{RouteKey: text}, choice, "%q", value)
		default:
			require.NoError(t, asObject, "%q", value)
			require.Equal(t, RouteChoice(object), choice, "%q", value)
		}
		if err != nil {
			return
		}
		written, err := json.Marshal(choice)
		require.NoError(t, err)
		var again RouteChoice
		require.NoError(t, json.Unmarshal(written, &again))
		require.Equal(t, choice, again)
	})
}
