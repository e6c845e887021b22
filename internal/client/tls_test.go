package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/payctl/payctl/internal/payments"
)

// secured starts a service that supports a range of versions of TLS, and returns its URL and its certificate.
func secured(t *testing.T, from, to uint16) (*url.URL, *x509.Certificate) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[]}`)
	}))
	server.Config.ErrorLog = stdlog.New(io.Discard, "", 0) // failed handshakes are what is tested
	server.TLS = &tls.Config{MinVersion: from, MaxVersion: to}
	server.StartTLS()
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	return base, server.Certificate()
}

func trusting(certificate *x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return pool
}

func TestNothingOlderThanTLS12IsSpoken(t *testing.T) {
	t.Parallel()
	for version, spoken := range map[uint16]bool{
		tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true,
	} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			t.Parallel()
			base, certificate := secured(t, version, version)
			c, err := New(Config{BaseURL: base, RootCAs: trusting(certificate), Token: staticToken(testToken)})
			require.NoError(t, err)
			defer c.CloseIdleConnections()
			_, err = c.Do(t.Context(), http.MethodGet, "/x", nil, nil, nil)
			if spoken {
				require.NoError(t, err)
				return
			}
			requireKind(t, err, payments.KindUnreachable)
			require.ErrorContains(t, err, "no TLS 1.2 or newer")
		})
	}
}

// With --ca-cert the system's authorities do not count. Another pool stands in for them, because a test cannot set the
// system's.
func TestNamedAuthoritiesReplaceTheSystems(t *testing.T) {
	t.Parallel()
	base, certificate := secured(t, tls.VersionTLS12, tls.VersionTLS13)
	file := pemFile(t, &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
	roots, err := Roots(file)
	require.NoError(t, err)
	require.True(t, roots.Equal(trusting(certificate)), "exactly the file's")
	c, err := New(Config{BaseURL: base, RootCAs: roots, Token: staticToken(testToken)})
	require.NoError(t, err)
	defer c.CloseIdleConnections()
	_, err = c.Do(t.Context(), http.MethodGet, "/x", nil, nil, nil)
	require.NoError(t, err)
	require.False(t, c.transport.TLSClientConfig.InsecureSkipVerify)

	c, err = New(Config{BaseURL: base, RootCAs: x509.NewCertPool(), Token: staticToken(testToken)})
	require.NoError(t, err)
	defer c.CloseIdleConnections()
	_, err = c.Do(t.Context(), http.MethodGet, "/x", nil, nil, nil)
	requireKind(t, err, payments.KindUnreachable)
	require.ErrorContains(t, err, "--ca-cert")
}

func TestFilesOfAuthoritiesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	_, certificate := secured(t, tls.VersionTLS12, tls.VersionTLS13)
	good := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("hush hush hush")})
	for what, why := range map[string]string{
		"":                                "no certificate in PEM form",
		"hello":                           "no certificate in PEM form",
		string(certificate.Raw):           "no certificate in PEM form",
		string(key):                       `a block "PRIVATE KEY"`,
		string(good) + string(key):        `a block "PRIVATE KEY"`,
		string(good[:len(good)/2]):        "damaged",
		string(good) + string(good[:100]): "what follows certificate number 1 is damaged",
		strings.Repeat("x", maxRoots+1):   "larger than",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n": "certificate number 1 is damaged",
	} {
		path := filepath.Join(t.TempDir(), "ca.pem")
		require.NoError(t, os.WriteFile(path, []byte(what), 0o600))
		_, err := Roots(path)
		requireKind(t, err, payments.KindInvalidSettings)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "aHVzaC", "a key is not quoted")
	}
	_, err := Roots(filepath.Join(t.TempDir(), "nowhere.pem"))
	require.ErrorContains(t, err, "nowhere.pem cannot be used: ")
	_, err = Roots(t.TempDir())
	require.ErrorContains(t, err, "it is a folder")
}

// A mark at the start of a file, as editors of Windows write it, does not hide the first certificate.
func TestFilesOfAuthoritiesFromWindows(t *testing.T) {
	t.Parallel()
	_, one := secured(t, tls.VersionTLS12, tls.VersionTLS13)
	block := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: one.Raw}))
	crlf := strings.ReplaceAll(block, "\n", "\r\n")
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(crlf + crlf)
	require.NoError(t, err)
	for _, text := range []string{block + block, crlf + crlf, "\ufeff" + block + block, "\ufeff" + crlf + crlf, utf16} {
		path := filepath.Join(t.TempDir(), "ca.pem")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		text, err := readRoots(path)
		require.NoError(t, err)
		certificates, err := parseRoots(text)
		require.NoError(t, err)
		require.Equal(t, []*x509.Certificate{one, one}, certificates)
	}
}

func pemFile(t *testing.T, block *pem.Block) string {
	path := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	return path
}

// FuzzRoots checks that the reader of certificates ends, and returns either certificates or an error.
func FuzzRoots(f *testing.F) {
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"))
	f.Add([]byte("no PEM at all"))
	for _, seed := range []string{
		"\xef\xbb\xbf-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
		"-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\n\nMAA=\n-----END CERTIFICATE-----\n",
		"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n-----BEGIN ",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		certificates, err := parseRoots(data)
		require.Equal(t, err == nil, len(certificates) > 0)
	})
}

func requireKind(t *testing.T, err error, kind payments.Kind) {
	t.Helper()
	var failure *payments.ProblemError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, kind, failure.Kind())
}
