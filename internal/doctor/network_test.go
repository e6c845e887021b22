package doctor

import (
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
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/settings"
)

// secure is a service on this machine whose certificate ends at a moment, and the file with the authority that vouches
// for it.
func secure(t *testing.T, ends time.Time) (url, authority string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: ends.Add(-365 * 24 * time.Hour), NotAfter: ends,
		IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	certificate := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	authority = filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return server.URL, authority
}

// The authority of a certificate that is not trusted is set in the profile.
func TestUnknownAuthority(t *testing.T) {
	t.Parallel()
	url, authority := secure(t, time.Now().Add(time.Hour).Truncate(time.Second))
	whom := subjectOf(environment(t, url))
	found := newExamination(t.Context(), whom).service(t.Context())
	require.Equal(t, Failed, found[0].Result, found[0].Message)
	require.Equal(t, "payctl profile set local ca_cert FILE", found[0].Next.String())
	whom.Flags = settings.Flags{settings.KeyCACert: authority}
	require.Equal(t, OK, newExamination(t.Context(), whom).service(t.Context())[0].Result)
}
