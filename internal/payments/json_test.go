package payments

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// The examples of RFC 7396 appendix A. A patch here is always an object, so other values are put in a member.
func TestMergePatchByTheExamplesOfItsRFC(t *testing.T) {
	t.Parallel()
	for _, example := range []struct{ original, patch, result string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"x":["a","b"]}`, `{"x":["c","d"]}`, `{"x":["c","d"]}`},
		{`{"x":{"a":"b"}}`, `{"x":["c"]}`, `{"x":["c"]}`},
		{`{"x":{"a":"foo"}}`, `{"x":null}`, `{}`},
		{`{"x":{"a":"foo"}}`, `{"x":"bar"}`, `{"x":"bar"}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{"x":[1,2]}`, `{"x":{"a":"b","c":null}}`, `{"x":{"a":"b"}}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		var original, result map[string]any
		var patch MergePatch
		require.NoError(t, json.Unmarshal([]byte(example.original), &original))
		require.NoError(t, json.Unmarshal([]byte(example.patch), &patch))
		require.NoError(t, json.Unmarshal([]byte(example.result), &result))
		require.Equal(t, result, patch.Apply(original), "%s on %s", example.patch, example.original)
		require.Equal(t, result, patch.Apply(patch.Apply(original)), "a second application changes nothing")
		var again map[string]any
		require.NoError(t, json.Unmarshal([]byte(example.original), &again))
		require.Equal(t, again, original, "the original is not changed")
	}
	require.Equal(t, map[string]any{}, MergePatch(nil).Apply(nil))
}

func TestRequestsThatAskForTheSame(t *testing.T) {
	t.Parallel()
	of := func(body string) string { return FingerprintOf("POST", "/accounts/v1", []byte(body)) }
	asked := of(`{"a":"x","b":1}`)
	require.Regexp(t, `^[0-9a-f]{64}$`, asked)
	for _, same := range []string{` { "b" : 1, "a" : "x" } `, `{"\u0061":"x","b":1.0}`, `{"a":"x","b":10e-1}`} {
		require.Equal(t, asked, of(same), same)
	}
	for _, other := range []string{
		`{"a":"x","b":2}`, `{"a":"x"}`, `{"a":"x","b":"1"}`, `{"a":"x","b":1,"c":null}`, ``, `{`, "\n{",
	} {
		require.NotEqual(t, asked, of(other), other)
	}
	require.NotEqual(t, asked, FingerprintOf("PUT", "/accounts/v1", []byte(`{"a":"x","b":1}`)))
	require.NotEqual(t, asked, FingerprintOf("POST", "/accounts/v2", []byte(`{"a":"x","b":1}`)))
}
