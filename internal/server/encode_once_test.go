package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
)

// TestKeyedAnswersAreWrittenAsAllOthers: the answer to a request with a key is the one that the key's record holds, which is
// encoded at another place than a response that is read.
func TestKeyedAnswersAreWrittenAsAllOthers(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	body := `{"destinationSavedContactId":"` + a.saved("base", "USDC") + `","route":"ach:USD->base:USDC","amount":"12.50",` +
		`"reference":"<&>\u2028","metadata":{"h":"1","g":"2","f":"3","e":"4","d":"5","c":"6","b":"7","a":"8"}}`
	keyed := a.do("POST", autoPath, body, "Idempotency-Key", "k")
	require.Equal(t, http.StatusCreated, keyed.status)
	require.Equal(t, a.do("GET", keyed.header.Get("Location"), "").body, keyed.body)
	require.Equal(t, keyed.body, a.do("POST", autoPath, body, "Idempotency-Key", "k").body)
}
