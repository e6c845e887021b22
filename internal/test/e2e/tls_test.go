package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
)

// certificate makes a certificate of 127.0.0.1 and some names that signs itself, and its key: `certificate CERT KEY`.
func certificate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: certificate CERT KEY")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "payctl test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"payments.test", "github.com"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	for file, block := range map[string]*pem.Block{
		args[0]: {Type: "CERTIFICATE", Bytes: signed}, args[1]: {Type: "PRIVATE KEY", Bytes: private},
	} {
		ts.Check(os.WriteFile(ts.MkAbs(file), pem.EncodeToMemory(block), 0o600))
	}
}

// handshake agrees on a version of TLS, and no other, with the service that a ready file names: `handshake FILE 1.2`.
func handshake(ts *testscript.TestScript, neg bool, args []string) {
	versions := map[string]uint16{"1.1": tls.VersionTLS11, "1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}
	if len(args) != 2 || versions[args[1]] == 0 {
		ts.Fatalf("usage: [!] handshake FILE VERSION")
	}
	var ready struct {
		URL string `json:"url"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &ready))
	at, err := url.Parse(ready.URL)
	ts.Check(err)
	version := versions[args[1]]
	config := &tls.Config{MinVersion: version, MaxVersion: version, InsecureSkipVerify: true} // the version is tried
	dialer := tls.Dialer{Config: config}
	conn, err := dialer.DialContext(context.Background(), "tcp", at.Host)
	switch {
	case err == nil && neg:
		ts.Fatalf("TLS %s is spoken", args[1])
	case err != nil && (!neg || !strings.Contains(err.Error(), "protocol version")):
		ts.Fatalf("TLS %s: %v", args[1], err)
	}
	if err == nil {
		_ = conn.Close()
	}
}
