package payments

import (
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// A list of entity tags by its grammar (RFC 9110 sections 8.8.3 and 5.6.1.2), with what stands between the marks left wide.
var (
	oneTag  = regexp.MustCompile(`(W/)?"([^"]*)"`)
	allTags = regexp.MustCompile(`^[, \t]*(?:(?:W/)?"[^"]*"[ \t]*(?:,[, \t]*|$))*$`)
)

// namesByGrammar is names by the grammar.
func namesByGrammar(list, opaque string, weak bool) bool {
	if regexp.MustCompile(`^[ \t]*\*[ \t]*$`).MatchString(list) {
		return true
	}
	if !allTags.MatchString(list) {
		return false
	}
	for _, found := range oneTag.FindAllStringSubmatch(list, -1) {
		if found[2] == opaque && (weak || found[1] == "") {
			return true
		}
	}
	return false
}

// FuzzEntityTags holds If-Match and If-None-Match to the grammar, and to each other: what matches strongly matches weakly.
func FuzzEntityTags(f *testing.F) {
	f.Add(`"x,a","a"`, "x,a")
	f.Add(`, ,"a"`, "a")
	f.Add(`w/"a"`, "a")
	f.Add(`"x" "a"`, "a")
	f.Add(`"a"`, "a")
	f.Add(`"x", W/"y" ,"a"`, "a")
	f.Fuzz(func(t *testing.T, list, opaque string) {
		if !regexp.MustCompile(`^[!#-~]+$`).MatchString(opaque) {
			opaque = "a"
		}
		tag := `"` + opaque + `"`
		weakly := ReadOptions{ETag: list}.Matches(tag)
		require.Equal(t, namesByGrammar(list, opaque, true), weakly, "%q %q", list, tag)
		require.Equal(t, weakly, ReadOptions{ETag: list}.Matches("W/"+tag))
		if list == "" {
			return
		}
		strongly := Precondition{Match: list}.Check(tag) == nil
		require.Equal(t, namesByGrammar(list, opaque, false), strongly, "%q %q", list, tag)
		require.False(t, strongly && !weakly)
		require.Equal(t, weakly, Precondition{NoneMatch: list}.Check(tag) != nil)
	})
}

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
