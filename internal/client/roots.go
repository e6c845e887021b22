package client

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxRoots is how much of a file of certificates is read, in bytes: several times what all public authorities take.
const maxRoots = 4 << 20

// Roots reads the certificate authorities of a service from a file of PEM blocks (RFC 7468). They stand in place of the
// system's, not beside them, as with curl: whoever names the authority of a service says that nobody else certifies it.
//
// The error is a *Failure of kind payments.KindInvalidSettings that names the file and what is wrong with it. Nothing of
// the file's content is quoted, for it may hold a key.
func Roots(path string) (*x509.CertPool, error) {
	data, err := readRoots(path)
	if err != nil {
		return nil, invalidSettings("The certificate authorities in %s cannot be used: %v.", path, err)
	}
	certificates, err := parseRoots(data)
	if err != nil {
		return nil, invalidSettings("The certificate authorities in %s cannot be used: %v.", path, err)
	}
	pool := x509.NewCertPool()
	for _, certificate := range certificates {
		pool.AddCert(certificate)
	}
	return pool, nil
}

func readRoots(path string) (_ []byte, err error) {
	// Before opening: opening a named pipe would wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, reason(err)
	case info.IsDir():
		return nil, errors.New("it is a folder; name the file")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err := io.ReadAll(io.LimitReader(file, maxRoots+1))
	if err != nil {
		return nil, reason(err)
	}
	if len(data) > maxRoots {
		return nil, fmt.Errorf("it is larger than %d bytes", maxRoots)
	}
	return data, nil
}

// reason is an error of the file system without the path, which the sentence around it names.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// parseRoots reads every certificate, and takes none of a file that holds anything else: half of what was meant to be
// trusted is not what was meant.
func parseRoots(data []byte) (certificates []*x509.Certificate, err error) {
	for len(data) > 0 {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		data = rest
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("it holds a block %q beside or in place of certificates", shortType(block.Type))
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("its certificate number %d is damaged", len(certificates)+1)
		}
		certificates = append(certificates, certificate)
	}
	switch {
	case bytes.Contains(data, []byte("-----BEGIN ")):
		return nil, fmt.Errorf("what follows certificate number %d is damaged", len(certificates))
	case len(certificates) == 0:
		return nil, errors.New("it holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)")
	}
	return certificates, nil
}

func shortType(name string) string {
	const longest = 40
	if len(name) > longest {
		return name[:longest] + "…"
	}
	return name
}
