package app

import (
	"crypto/tls"
	"fmt"
	"io"
	"os"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/plaintext"
)

// loadTLS reads the certificate of --tls-cert with its key; nil where there is none.
func loadTLS(c cmdutil.ServeConfig) (*tls.Config, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	certificate, err := keyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, cmdutil.Usage("the certificate %s and the key %s cannot be used: %v", c.TLSCert, c.TLSKey, err).
			WithHint("give a certificate and its own key, both in PEM")
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}, nil
}

// keyPair is tls.LoadX509KeyPair with a bound to what is read.
func keyPair(certificate, key string) (tls.Certificate, error) {
	const most = 1 << 20 // bytes; a chain of certificates has some thousands
	public, err := readBounded(certificate, most)
	if err != nil {
		return tls.Certificate{}, err
	}
	private, err := readBounded(key, most)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(public, private)
}

// readBounded reads a text of at most so many bytes. A longer one, such as a device, is an error.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", path, most)
	}
	return plaintext.Bytes(text), err
}
