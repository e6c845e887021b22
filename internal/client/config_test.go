package client

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

func TestSettingsReachTheClient(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "payments.test"}
	resolved := settings.Settings{
		BaseURL: base, Timeout: time.Minute, Retries: 7, IdempotencyKeys: settings.IdempotencyKeysHonoured,
		Operations: map[string]string{"getKycStatus": "GET /kyc/{accountId}"}, Members: map[string]string{"kyc.status": "/s"},
		Values: map[string]string{"kyc.approved": "YES"}, KeyHeader: "X-Key", AllowInsecureHTTP: true,
	}
	c, err := ConfigFromSettings(resolved, "1.2.3")
	require.NoError(t, err)
	require.Equal(t, Config{
		BaseURL: base, UserAgent: "payctl/1.2.3", Timeout: time.Minute, Retries: 7, KeysHonoured: true,
		Differences: dialect.Differences{
			Operations: resolved.Operations, Members: resolved.Members, Values: resolved.Values, KeyHeader: "X-Key",
		}, AllowInsecureHTTP: true,
	}, c)
}

// TestAuthoritiesReachTheClient calls a service that only the named authority certifies.
func TestAuthoritiesReachTheClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	for _, file := range []string{"", authority} {
		resolved, err := ConfigFromSettings(settings.Settings{BaseURL: base, CACert: file}, "1")
		require.NoError(t, err)
		service, err := New(resolved)
		require.NoError(t, err)
		_, err = service.Probe(t.Context())
		require.Equal(t, file != "", err == nil, "%v", err)
	}

	_, err = ConfigFromSettings(settings.Settings{BaseURL: base, CACert: filepath.Join(t.TempDir(), "nothing")}, "1")
	var refusal *payments.ProblemError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, payments.KindInvalidSettings, refusal.Kind())
}
