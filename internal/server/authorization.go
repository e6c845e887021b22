package server

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/payments"
)

const (
	challengeBearer = `Bearer realm="payments"` //nolint:gosec // a challenge, not a credential
	challengeBasic  = `Basic realm="payments", charset="UTF-8"`
)

// bearerToken reads the token of an Authorization header (RFC 6750 section 2.1). Without credentials the challenge
// carries no error code (section 3.1).
func bearerToken(headers []string) (string, error) {
	scheme, token, err := credentials(headers)
	if err != nil {
		return "", challenged(err, challengeBearer+`, error="invalid_request"`)
	}
	if scheme == "" {
		return "", challenged(payments.Refuse(payments.KindUnauthenticated, "The request has no Authorization header."), challengeBearer)
	}
	if !strings.EqualFold(scheme, "Bearer") {
		return "", challenged(payments.Refuse(payments.KindUnauthenticated,
			"The operation takes a Bearer token; %s credentials work only at the token operation.", describeScheme(scheme)), challengeBearer)
	}
	if token == "" || strings.ContainsFunc(token, func(c rune) bool { return !isToken68(c) }) {
		return "", challenged(payments.Refuse(payments.KindUnauthenticated, "The Bearer token is malformed."), challengeBearer+`, error="invalid_token"`)
	}
	return token, nil
}

// basicCredentials reads a client id and secret (RFC 7617 section 2).
func basicCredentials(headers []string) (id, secret string, err error) {
	scheme, encoded, err := credentials(headers)
	if err != nil {
		return "", "", challenged(err, challengeBasic)
	}
	if scheme == "" {
		return "", "", challenged(payments.Refuse(payments.KindUnauthenticated, "The request has no Authorization header."), challengeBasic)
	}
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", challenged(payments.Refuse(payments.KindUnauthenticated,
			"The token operation takes Basic credentials, not %s.", describeScheme(scheme)), challengeBasic)
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	id, secret, found := strings.Cut(string(decoded), ":")
	broken := strings.ContainsAny(encoded, "\r\n") // which the decoder passes over
	if err != nil || broken || !found || id == "" || len(id) > MaxClientID || !utf8.Valid(decoded) || strings.ContainsFunc(string(decoded), isControl) {
		return "", "", challenged(payments.Refuse(payments.KindUnauthenticated,
			"The Basic credentials are malformed: they are the base64 of clientId:clientSecret, of which the first has at most %d bytes.", MaxClientID), challengeBasic)
	}
	return id, secret, nil
}

// credentials splits the one Authorization header. The scheme is empty when there is none. More than one make the request
// malformed, rather than unauthenticated, whatever they hold (RFC 9110 section 5.3, RFC 6750 section 3.1).
func credentials(headers []string) (scheme, value string, err error) {
	switch len(headers) {
	case 0:
		return "", "", nil
	case 1:
		scheme, value, _ = strings.Cut(headers[0], " ")
		if scheme == "" && strings.TrimSpace(value) == "" {
			return "", "", nil
		}
		return scheme, strings.TrimLeft(value, " "), nil
	}
	return "", "", payments.Refuse(payments.KindMalformed, "The request has more than one Authorization header.")
}

// describeScheme names a scheme without repeating what may be a misplaced secret.
func describeScheme(scheme string) string {
	if strings.EqualFold(scheme, "Basic") || strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Digest") {
		return scheme
	}
	return "other"
}

// isToken68 says whether a character may stand in a token (RFC 6750 section 2.1).
func isToken68(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-._~+/=", c)
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

// invalidToken adds the challenge of a token that does not work (RFC 6750 section 3.1).
func invalidToken(err error) error {
	return challenged(err, challengeBearer+`, error="invalid_token"`)
}

func challenged(err error, challenge string) error {
	if refusal, ok := errors.AsType[*payments.Refusal](err); ok && refusal.Problem.Kind() != payments.KindUnavailable {
		refusal.Challenge = challenge
		return refusal
	}
	return err
}
