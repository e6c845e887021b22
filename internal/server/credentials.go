package server

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
)

// The challenges of the WWW-Authenticate header.
const (
	challengeBearer = `Bearer realm="payments"` //nolint:gosec // a challenge, not a credential
	challengeBasic  = `Basic realm="payments", charset="UTF-8"`
)

// MaxClientID is the longest client id, in bytes. It is bounded as the service remembers every client.
const MaxClientID = 255

// token68 are the characters of a token (RFC 6750 section 2.1).
const token68 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// parseBearerToken reads the token of an Authorization header (RFC 6750 section 2.1). Without credentials the challenge
// has no error code (section 3.1).
func parseBearerToken(headers []string) (string, error) {
	token, err := parseAuthorization(headers, "Bearer",
		"The operation takes a Bearer token. Basic credentials work only at the token operation.")
	if payments.IsKind(err, payments.KindMalformed) {
		return "", challenged(err, challengeBearer+`, error="invalid_request"`)
	}
	if err != nil {
		return "", challenged(err, challengeBearer)
	}
	if token == "" || strings.Trim(token, token68) != "" {
		return "", invalidToken(payments.NewProblem(payments.KindUnauthenticated, "The Bearer token is malformed."))
	}
	return token, nil
}

// parseBasicCredentials reads a client id and secret (RFC 7617 section 2).
func parseBasicCredentials(headers []string) (id, secret string, err error) {
	encoded, err := parseAuthorization(headers, "Basic", "The token operation takes Basic credentials only.")
	if err != nil {
		return "", "", challenged(err, challengeBasic)
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	id, secret, found := strings.Cut(string(decoded), ":")
	broken := strings.ContainsAny(encoded, "\r\n") // the decoder would ignore them
	unreadable := err != nil || broken || !utf8.Valid(decoded) || bytes.ContainsFunc(decoded, isControl)
	if unreadable || !found || id == "" || len(id) > MaxClientID {
		return "", "", challenged(payments.NewProblem(payments.KindUnauthenticated,
			"The Basic credentials are malformed: they are the base64 of clientId:clientSecret, "+
				"of which the first has at most %d bytes.", MaxClientID), challengeBasic)
	}
	return id, secret, nil
}

// parseAuthorization returns the credentials of an Authorization header, which must have a scheme. Names of schemes are
// case-insensitive (RFC 9110 section 11.1). A request with several such headers, whatever they hold, is malformed rather
// than unauthenticated (section 5.3, RFC 6750 section 3.1).
func parseAuthorization(headers []string, scheme, otherScheme string) (string, error) {
	name, credentials, _ := strings.Cut(strings.Join(headers, ""), " ")
	switch {
	case len(headers) > 1:
		return "", malformed("The request has more than one Authorization header.")
	case name == "" && strings.TrimSpace(credentials) == "":
		return "", payments.NewProblem(payments.KindUnauthenticated, "The request has no Authorization header.")
	case !strings.EqualFold(name, scheme):
		return "", payments.NewProblem(payments.KindUnauthenticated, "%s", otherScheme)
	}
	return strings.TrimLeft(credentials, " "), nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }
