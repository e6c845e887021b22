package connect

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

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
)

func TestSettingsReachTheClient(t *testing.T) {
	t.Parallel()
	base := &url.URL{Scheme: "https", Host: "payments.test"}
	settings := config.Settings{
		BaseURL: base, Timeout: time.Minute, Retries: 7, IdempotencyKeys: config.IdempotencyKeysHonoured,
		Operations: map[string]string{"getKycStatus": "GET /kyc/{accountId}"}, KYCStatusPointer: "/data/status", AllowInsecureHTTP: true,
	}
	c, err := Config(settings, "1.2.3")
	require.NoError(t, err)
	require.Equal(t, client.Config{
		BaseURL: base, UserAgent: "payctl/1.2.3", Timeout: time.Minute, Retries: 7, KeysHonoured: true,
		Operations: settings.Operations, KYCStatusPointer: "/data/status", AllowInsecureHTTP: true,
	}, c)
}

// TestAuthoritiesReachTheClient speaks to a service that only the named authority vouches for.
func TestAuthoritiesReachTheClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	for _, file := range []string{"", authority} {
		settings, err := Config(config.Settings{BaseURL: base, CACert: file}, "1")
		require.NoError(t, err)
		service, err := client.New(settings)
		require.NoError(t, err)
		_, err = service.Reach(t.Context())
		require.Equal(t, file != "", err == nil, "%v", err)
	}

	_, err = Config(config.Settings{BaseURL: base, CACert: filepath.Join(t.TempDir(), "nothing")}, "1")
	var refusal *payments.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, payments.KindInvalidSettings, refusal.Kind())
}
