package client

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/payctl/payctl/internal/plaintext"
)

// maxRoots is the size limit of a file of certificates, in bytes: several times the size of all public authorities.
const maxRoots = 4 << 20

// Roots reads the certificate authorities of a service from a file of PEM blocks (RFC 7468). They replace those of the
// system, as with curl: a user who names the authority of a service trusts no other one to certify it. A file that holds
// anything but certificates is an error: a part of them is not what the user wants to trust.
//
// The error is a *payments.ProblemError of kind payments.KindInvalidSettings that names the file and what is wrong with
// it. It quotes nothing of the file, which may hold a private key.
func Roots(path string) (*x509.CertPool, error) {
	pool, err := readRoots(path)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the problem names the path already
	}
	if err != nil {
		return nil, invalidSettings("The certificate authorities in %s cannot be used: %v.", path, err)
	}
	return pool, nil
}

func readRoots(path string) (*x509.CertPool, error) {
	// The check is before the open, because to open a named pipe is to wait for its writer.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxRoots:
		return nil, fmt.Errorf("it is larger than %d bytes", maxRoots)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	data = plaintext.Bytes(data) // a mark in front would hide the first certificate
	pool, count := x509.NewCertPool(), 0
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		count++
		certificate, err := x509.ParseCertificate(block.Bytes)
		if block.Type != "CERTIFICATE" || err != nil {
			return nil, fmt.Errorf("its block number %d, a %.40q, is no certificate or damaged", count, block.Type)
		}
		pool.AddCert(certificate)
		data = rest
	}
	switch {
	case bytes.Contains(data, []byte("-----BEGIN ")):
		return nil, fmt.Errorf("what follows certificate number %d is damaged", count)
	case count == 0:
		return nil, errors.New("it holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)")
	}
	return pool, nil
}
