package payments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestRequestsThatAskForTheSame(t *testing.T) {
	t.Parallel()
	of := func(body string) string { return payments.FingerprintOf("POST", "/accounts/v1", []byte(body)) }
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
	require.NotEqual(t, asked, payments.FingerprintOf("PUT", "/accounts/v1", []byte(`{"a":"x","b":1}`)))
	require.NotEqual(t, asked, payments.FingerprintOf("POST", "/accounts/v2", []byte(`{"a":"x","b":1}`)))
}
