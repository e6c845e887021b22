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

	"github.com/payctl/payctl/internal/plaintext"
)

// maxRoots is the size limit of a file of certificates, in bytes: several times the size of all public authorities.
const maxRoots = 4 << 20

// Roots reads the certificate authorities of a service from a file of PEM blocks (RFC 7468). They replace those of the
// system, as with curl: a user who names the authority of a service trusts no other one to certify it.
//
// The error is a *payments.ProblemError of kind payments.KindInvalidSettings that names the file and what is wrong with
// it. It quotes nothing of the file, which may hold a private key.
func Roots(path string) (*x509.CertPool, error) {
	data, err := readRoots(path)
	var certificates []*x509.Certificate
	if err == nil {
		certificates, err = parseRoots(data)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the problem names the path already
	}
	if err != nil {
		return nil, invalidSettings("The certificate authorities in %s cannot be used: %v.", path, err)
	}
	pool := x509.NewCertPool()
	for _, certificate := range certificates {
		pool.AddCert(certificate)
	}
	return pool, nil
}

func readRoots(path string) ([]byte, error) {
	// The check is before the open, because to open a named pipe is to wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder; name the file")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxRoots+1))
	if len(data) > maxRoots {
		return nil, fmt.Errorf("it is larger than %d bytes", maxRoots)
	}
	return plaintext.Bytes(data), err // a mark in front would hide the first certificate
}

// parseRoots reads every certificate of a file. A file that holds anything else is an error: a part of the certificates
// is not what the user wants to trust.
func parseRoots(data []byte) (certificates []*x509.Certificate, err error) {
	for len(data) > 0 {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		data = rest
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("it holds a block %.40q beside or in place of certificates", block.Type)
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
