package client

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// No redirect is followed, not even within the origin. What a redirected write did is not known where such a response
// often follows an effect.
func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, transferBody) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, call := range map[string]func(context.Context, *Client) error{
			"read": readCall, "select": selectCall, "token": tokenCall,
			"keyed": repeatableCall, "keyless": keylessCall, "delete": deleteCall, "cancel": repeatableCancelCall,
		} {
			for _, location := range []string{"/elsewhere", other.URL + "/x?token=t", "", "http://[::1"} {
				t.Run(fmt.Sprint(status, " ", name, " ", location), func(t *testing.T) {
					t.Parallel()
					s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
						w.Header().Set("Location", location)
						w.WriteHeader(status)
					})
					c, w := connect(t, s.URL)
					err := call(t.Context(), c)
					require.Equal(t, 1, s.count())
					require.Empty(t, w.Slept())
					isRead := name == "read" || name == "select" || name == "token"
					if !isRead && (status == 302 || status == 303) {
						failure := refusalIn(t, err)
						require.Equal(t, payments.ProblemOutcomeUnknown, failure.ProblemType())
						err = failure.Cause
					}
					require.Equal(t, payments.ProblemMoved, kindOf(t, err))
					require.Equal(t, status, refusalIn(t, err).Status)
					require.NotContains(t, err.Error(), "token=t")
				})
			}
		}
	}
	t.Cleanup(func() { require.Zero(t, other.count()) })
}

func TestServicesWithoutTrustedTLSAreNotAskedAgain(t *testing.T) {
	t.Parallel()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = discardLogger()
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, transferBody) })
	for address, why := range map[string]string{
		untrusted.URL: "certificate", strings.Replace(plain.URL, "http:", "https:", 1): "does not speak TLS",
	} {
		c, w := connect(t, address)
		err := keyedCall(t.Context(), c)
		require.Equal(t, payments.ProblemUnreachable, kindOf(t, err))
		require.Contains(t, err.Error(), why)
		require.Empty(t, w.Slept())
	}
	require.Zero(t, plain.count())
}
