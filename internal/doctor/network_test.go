package doctor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// secure is a service on this machine whose certificate ends at a moment, and the file with the authority that vouches
// for it.
func secure(t *testing.T, ends time.Time) (url, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: ends.Add(-365 * 24 * time.Hour), NotAfter: ends, IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return server.URL, authority
}

// securely examines the one check of a service with a certificate of its own.
func securely(t *testing.T, ends time.Time, check func(*examination, context.Context, *check)) []Finding {
	t.Helper()
	url, authority := secure(t, ends)
	whom := subjectOf(environment(t, url))
	whom.Flags = settings.Flags{settings.KeyCACert: authority}
	return findings(t, whom, check)
}

func TestLifeOfTheCertificate(t *testing.T) {
	t.Parallel()
	check := (*examination).tls
	for name, c := range map[string]struct {
		left   time.Duration
		result Result
	}{
		"a year": {360 * 24 * time.Hour, OK}, "just enough": {expirySoon + time.Hour, OK},
		"soon": {expirySoon - time.Hour, Warning}, "in an hour": {time.Hour, Warning},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ends := time.Now().Add(c.left).Truncate(time.Second)
			found := securely(t, ends, check)
			require.Len(t, found, 1)
			require.Equal(t, c.result, found[0].Result, found[0].Message)
			require.Contains(t, found[0].Message, payments.FormatTime(ends))
			require.Equal(t, c.result == Warning, found[0].Advice != "")
		})
	}
}

func TestCertificateThatHasEnded(t *testing.T) {
	t.Parallel()
	found := securely(t, time.Now().Add(-time.Hour), (*examination).service)
	require.Len(t, found, 1)
	require.Equal(t, Failed, found[0].Result)
	require.Equal(t, payments.KindUnreachable, found[0].Kind)
	require.Contains(t, found[0].Message, "expired")
	require.Empty(t, found[0].Fix, "no other authority makes it last longer")
	require.Contains(t, found[0].Advice, "clock")
}

func TestCertificateOfAnotherService(t *testing.T) {
	t.Parallel()
	url, authority := secure(t, time.Now().Add(time.Hour))
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "https://"))
	require.NoError(t, err)
	whom := subjectOf(environment(t, "https://localhost:"+port))
	whom.Flags = settings.Flags{settings.KeyCACert: authority}
	found := findings(t, whom, (*examination).service)
	require.Empty(t, found[0].Fix, "no other authority gives it this name")
	require.Contains(t, found[0].Advice, "base URL")

	whom = subjectOf(environment(t, url))
	found = findings(t, whom, (*examination).service)
	require.Equal(t, "payctl profile set local ca_cert FILE", found[0].Fix, found[0].Message)
}
