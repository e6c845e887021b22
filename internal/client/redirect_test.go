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

var redirects = []int{301, 302, 303, 307, 308}

func redirectTo(w http.ResponseWriter, status int, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(status)
}

func TestReadsFollowRedirectsWithinTheOrigin(t *testing.T) {
	t.Parallel()
	for _, status := range redirects {
		for name, call := range map[string]func(context.Context, *Client) error{"GET": readCall, "PATCH": selectCall} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
					if n <= maxRedirects {
						redirectTo(w, status, fmt.Sprintf("/hop/%d#x", n))
						return
					}
					replyJSON(w, http.StatusOK, `{"id":"trf_1","routes":[]}`)
				})
				c, w := connect(t, s.URL)
				require.NoError(t, call(t.Context(), c))
				require.Equal(t, maxRedirects+1, s.count())
				require.Empty(t, w.Slept())
				for i := range s.count() {
					require.Equal(t, name, s.request(i).Method, "the method stays")
					require.Equal(t, "Bearer "+testToken, s.request(i).Header.Get("Authorization"))
					require.Equal(t, s.bodies[0], s.bodies[i])
				}
			})
		}
	}
}

func TestWritesFollowNoRedirect(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *Client) error{"keyed": repeatableCall, "keyless": keylessCall, "delete": deleteCall, "cancel": repeatableCancelCall}
	for _, status := range redirects {
		for name, call := range calls {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { redirectTo(w, status, "/elsewhere") })
				c, _ := connect(t, s.URL)
				err := call(t.Context(), c)
				require.Equal(t, 1, s.count())
				if status == 302 || status == 303 {
					// Such a response often follows an effect.
					var failure *payments.ProblemError
					require.ErrorAs(t, err, &failure)
					require.Equal(t, payments.KindOutcomeUnknown, failure.Kind())
					err = failure.Cause
				}
				require.Equal(t, payments.KindMoved, kindOf(t, err))
				require.Equal(t, status, refusalIn(t, err).Status)
				require.Contains(t, err.Error(), s.URL)
			})
		}
	}
}

func TestBasicCredentialsFollowNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range redirects {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { redirectTo(w, status, "/elsewhere") })
		c, _ := connect(t, s.URL)
		require.Equal(t, payments.KindMoved, kindOf(t, tokenCall(t.Context(), c)))
		require.Equal(t, 1, s.count())
	}
}

func TestUntrustedCertificateIsNotRetried(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = discardLogger()
	secure.StartTLS()
	t.Cleanup(secure.Close)
	c, w := connect(t, secure.URL)
	err := readCall(t.Context(), c)
	require.Equal(t, payments.KindUnreachable, kindOf(t, err))
	require.Contains(t, err.Error(), "certificate")
	require.Empty(t, w.Slept())
}

func TestPlainHTTPBehindHTTPS(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { replyJSON(w, 200, transferBody) })
	c, w := connect(t, strings.Replace(s.URL, "http:", "https:", 1))
	err := keyedCall(t.Context(), c)
	require.Equal(t, payments.KindUnreachable, kindOf(t, err))
	require.Contains(t, err.Error(), "does not speak TLS")
	require.Empty(t, w.Slept())
	require.Zero(t, s.count())
}
