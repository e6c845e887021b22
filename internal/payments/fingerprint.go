package payments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Fingerprint identifies a request's content, to find out whether an idempotency key is used again for the same
// request. Few are ever compared, so a short request is kept as it is and hashed only when it is stored or compared.
type Fingerprint string

// maxVerbatim is the size, in bytes, without separators, up to which a request is kept as it is.
const maxVerbatim = 512

// endOfTarget separates the method and path from the body. A hash does not contain it.
const endOfTarget = "\n"

// FingerprintOf returns the fingerprint of a request.
func FingerprintOf(method, path string, body []byte) Fingerprint {
	if len(method)+len(path)+len(body) > maxVerbatim {
		return hashOf(method+" "+path+endOfTarget, body)
	}
	return Fingerprint(method + " " + path + endOfTarget + string(body))
}

// Same reports whether two requests have the same content. White space, the order of members and other ways to write the
// same JSON value make no difference (RFC 8785).
func (f Fingerprint) Same(other Fingerprint) bool { return f == other || f.Hash() == other.Hash() }

// MarshalText implements encoding.TextMarshaler: it returns the hash.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.Hash()), nil }

// Hash returns the SHA-256 of the method, the path and the canonical body, in hexadecimal.
func (f Fingerprint) Hash() Fingerprint {
	target, body, isRequest := strings.Cut(string(f), endOfTarget)
	if !isRequest {
		return f
	}
	return hashOf(target+endOfTarget, []byte(body))
}

func hashOf(target string, body []byte) Fingerprint {
	canonical := jsontext.Value(bytes.Clone(body))
	if canonical.Canonicalize() != nil { // not JSON
		canonical = body
	}
	sum := sha256.New()
	sum.Write([]byte(target))
	sum.Write(canonical)
	return Fingerprint(hex.EncodeToString(sum.Sum(nil)))
}
