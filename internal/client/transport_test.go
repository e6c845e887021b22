package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

func TestNothingOlderThanTLS12IsSpoken(t *testing.T) {
	t.Parallel()
	for version, spoken := range map[uint16]bool{
		tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true,
	} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			replyJSON(w, http.StatusOK, transferBody)
		}))
		server.Config.ErrorLog = discardLogger() // failed handshakes are expected
		server.TLS = &tls.Config{MinVersion: version, MaxVersion: version}
		server.StartTLS()
		t.Cleanup(server.Close)
		c, _ := connect(t, server.URL, func(config *Config) {
			config.RootCAs = x509.NewCertPool()
			config.RootCAs.AddCert(server.Certificate())
		})
		if err := readCall(t.Context(), c); spoken {
			require.NoError(t, err)
		} else {
			require.Equal(t, payments.ProblemUnreachable, kindOf(t, err), tls.VersionName(version))
		}
	}
}

func TestFilesOfAuthoritiesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("hush hush hush")})
	for what, why := range map[string]string{
		"": "no certificate in PEM form", string(key): "no certificate in PEM form",
		strings.Repeat("x", maxRoots+1):                                  "not a regular file",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n": "no certificate in PEM form",
	} {
		path := filepath.Join(t.TempDir(), "ca.pem")
		require.NoError(t, os.WriteFile(path, []byte(what), 0o600))
		_, err := Roots(x509.NewCertPool(), path)
		require.Equal(t, payments.ProblemInvalidSettings, kindOf(t, err))
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "aHVzaC", "a key is not quoted")
	}
	_, err := Roots(x509.NewCertPool(), filepath.Join(t.TempDir(), "nowhere.pem"))
	require.ErrorContains(t, err, "nowhere.pem cannot be used: ")
	_, err = Roots(x509.NewCertPool(), t.TempDir())
	require.ErrorContains(t, err, "not a regular file")
}

// No redirect is followed, not even within the origin. Services often send 302 and 303 after an
// effect, so the outcome of a write is then unknown.
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
