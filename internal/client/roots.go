package client

import (
	"crypto/x509"
	"errors"
	"io/fs"
	"os"

	"github.com/payctl/payctl/internal/textutil"
)

// maxRoots is the size limit of a file of certificates, in bytes: several times the size of all public authorities.
const maxRoots = 4 << 20

// Roots adds certificate authorities from a file of PEM blocks (RFC 7468) to a pool, and returns it.
//
// The error is a *payments.ProblemError of type payments.ProblemInvalidSettings that names the file and the fault. It
// does not quote the file, which may hold a private key.
func Roots(pool *x509.CertPool, path string) (*x509.CertPool, error) {
	// The check comes before the open, because opening a named pipe waits for its writer.
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxRoots) {
		err = errors.New("it is not a regular file of at most 4 MiB")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err == nil && !pool.AppendCertsFromPEM(textutil.Decode(data)) { // a mark in front would hide the first certificate
		err = errors.New("it holds no certificate in PEM form")
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the problem names the path already
	}
	if err != nil {
		return nil, invalidSettings("The certificate authorities in %s cannot be used: %v.", path, err)
	}
	return pool, nil
}
