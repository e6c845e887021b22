package payments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"
)

// FingerprintOf returns the SHA-256 of a request's method, path and body, in hexadecimal. It tells whether a key is
// used again for the same request. White space, the order of members and other ways to write the same JSON value do not
// matter (RFC 8785).
func FingerprintOf(method, path string, body []byte) string {
	canonical := jsontext.Value(bytes.Clone(body))
	if canonical.Canonicalize() != nil { // not JSON
		canonical = body
	}
	sum := sha256.New()
	sum.Write([]byte(method + " " + path + "\n"))
	sum.Write(canonical)
	return hex.EncodeToString(sum.Sum(nil))
}
