package server

import (
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

// maxKeyLength is the longest idempotency key, in bytes. The contract has the same bound.
const maxKeyLength = 255

// idempotency returns the request's idempotency key with the fingerprint of the request.
func (x *exchange) idempotency() (key service.WriteKey, err error) {
	if len(x.r.Header["Idempotency-Key"]) == 0 || x.server.config.IgnoreIdempotencyKeys {
		return key, nil
	}
	if x.key == "" {
		return key, malformed(
			"The Idempotency-Key header must hold one key of 1 to %d printable ASCII characters, "+
				"bare or as a quoted string.", maxKeyLength)
	}
	return service.WriteKey{Key: x.key, Fingerprint: payments.FingerprintOf(x.r.Method, x.r.URL.Path, x.body)}, nil
}

// parseIdempotencyKey reads the key, which is bare or a quoted string (RFC 8941 section 3.3.3). In a quoted string a
// backslash escapes only a backslash or a quote.
func parseIdempotencyKey(values []string) (key string, ok bool) {
	if len(values) != 1 {
		return "", false
	}
	key = values[0]
	if strings.HasPrefix(key, `"`) {
		inner, closed := strings.CutSuffix(key[1:], `"`)
		if !closed || strings.ContainsAny(strings.NewReplacer(`\\`, "", `\"`, "").Replace(inner), `"\`) {
			return "", false
		}
		key = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(inner)
	}
	unprintable := strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' })
	if key == "" || len(key) > maxKeyLength || unprintable {
		return "", false
	}
	return key, true
}
