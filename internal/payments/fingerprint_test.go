package payments_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

func TestRequestsThatAskForTheSame(t *testing.T) {
	t.Parallel()
	for _, length := range []int{1, 10_000} { // kept as it is, and as its hash
		of := func(method, path, format string) payments.Fingerprint {
			body := strings.ReplaceAll(format, "$", strings.Repeat("x", length))
			return payments.FingerprintOf(method, path, []byte(body))
		}
		asked := of("POST", "/accounts/v1", `{"a":"$","b":1}`)
		for _, same := range []string{`{"a":"$","b":1}`, ` { "b" : 1, "a" : "$" } `, `{"\u0061":"$","b":1.0}`, `{"a":"$","b":10e-1}`} {
			require.True(t, asked.Same(of("POST", "/accounts/v1", same)), same)
		}
		for _, other := range []string{`{"a":"$","b":2}`, `{"a":"$x","b":1}`, `{"a":"$"}`, `{"a":"$","b":"1"}`, `{"a":"$","b":1,"c":null}`, ``, `{`} {
			require.False(t, asked.Same(of("POST", "/accounts/v1", other)), other)
		}
		require.False(t, asked.Same(of("PUT", "/accounts/v1", `{"a":"$","b":1}`)))
		require.False(t, asked.Same(of("POST", "/accounts/v2", `{"a":"$","b":1}`)))
		broken := of("POST", "/accounts/v1", "\n{$")
		require.True(t, broken.Same(broken))
		require.False(t, broken.Same(asked))
	}
}

// What leaves the memory is a hash, which is told from others as the request itself is.
func TestFingerprintAsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		members := rapid.MapOf(rapid.StringN(0, 9, -1), rapid.StringN(0, 200, -1))
		one, other := members.Draw(r, "one"), members.Draw(r, "other")
		asked, different := fingerprint(t, one), fingerprint(t, other)
		text, err := json.Marshal(asked)
		require.NoError(t, err)
		require.Regexp(t, `^"[0-9a-f]{64}"$`, string(text))
		var read payments.Fingerprint
		require.NoError(t, json.Unmarshal(text, &read))
		require.True(t, read.Same(asked) && asked.Same(read))
		require.Equal(t, asked.Same(different), read.Same(different))
		require.Equal(t, maps.Equal(one, other), asked.Same(different))
		again, err := json.Marshal(read)
		require.NoError(t, err)
		require.Equal(t, text, again)
	})
}

// fingerprint is that of a body with the members, in any order.
func fingerprint(t *testing.T, members map[string]string) payments.Fingerprint {
	body, err := json.Marshal(members, jsontext.AllowInvalidUTF8(true))
	require.NoError(t, err)
	return payments.FingerprintOf("POST", "/transfers/auto/v1", body)
}
