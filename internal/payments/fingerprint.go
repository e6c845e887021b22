package payments

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Fingerprint tells whether two requests ask for the same. Hardly any is ever compared, so that it is the request itself where
// that is short, and the hash of it only where it is long or leaves the memory.
type Fingerprint string

// longestRequest is how many bytes of a request are kept as they are.
const longestRequest = 512

// endOfTarget stands between what a request is for and its body. No hash has it.
const endOfTarget = "\n"

// FingerprintOf is the fingerprint of a request.
func FingerprintOf(method, path string, body []byte) Fingerprint {
	target := method + " " + path + endOfTarget
	if len(target)+len(body) > longestRequest {
		return hashOf(target, body)
	}
	return Fingerprint(target + string(body))
}

// Same says whether two requests ask for the same: spaces between the parts of a body, the order of its members and other ways
// to write the same make no difference (RFC 8785).
func (f Fingerprint) Same(other Fingerprint) bool { return f == other || f.Hash() == other.Hash() }

// MarshalText implements encoding.TextMarshaler. The text is the hash.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.Hash()), nil }

// Hash is the SHA-256 of the method, the path and the canonical body, in hexadecimal.
func (f Fingerprint) Hash() Fingerprint {
	target, body, isRequest := strings.Cut(string(f), endOfTarget)
	if !isRequest {
		return f
	}
	return hashOf(target+endOfTarget, []byte(body))
}

func hashOf(target string, body []byte) Fingerprint {
	canonical := jsontext.Value(bytes.Clone(body))
	if canonical.Canonicalize() != nil { // it is no JSON
		canonical = body
	}
	sum := sha256.New()
	sum.Write([]byte(target))
	sum.Write(canonical)
	return Fingerprint(hex.EncodeToString(sum.Sum(nil)))
}
