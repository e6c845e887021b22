package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// A TokenSource gives the Bearer token of a client's calls. Its errors come back from the calls as they are: nothing is
// ever sent without the credential that was meant.
type TokenSource interface {
	// Token is the token to send.
	Token(ctx context.Context) (string, error)
	// Renew is a token in place of one that the service rejected. The error is errors.ErrUnsupported when there is no
	// way to get one.
	Renew(ctx context.Context, rejected string) (string, error)
}

const bearer = "Bearer "

// authorize is the Authorization header of a request; empty when it has none.
func (c *Client) authorize(ctx context.Context, r *request) (string, error) {
	switch {
	case r.credential != "":
		return r.credential, nil
	case c.config.Token == nil:
		return "", nil
	}
	token, err := c.config.Token.Token(ctx)
	if err != nil {
		return "", err
	}
	return bearerOf(r, token)
}

// renew is the Authorization header after the service rejected the one before. Errors.ErrUnsupported when it is not
// the token source's to renew.
func (c *Client) renew(ctx context.Context, r *request, rejected string) (string, error) {
	if r.credential != "" || rejected == "" {
		return "", errors.ErrUnsupported
	}
	token, err := c.config.Token.Renew(ctx, strings.TrimPrefix(rejected, bearer))
	if err != nil {
		return "", err
	}
	return bearerOf(r, token)
}

// bearerOf is the Authorization header for a token (RFC 6750 section 2.1), which is a secret from then on.
func bearerOf(r *request, token string) (string, error) {
	if token == "" {
		return "", invalidCredential("The token is empty. Log in with `payctl auth login`.")
	}
	if !isVisible(token) {
		return "", invalidCredential("The token holds characters that no token has. Log in again with `payctl auth login`.")
	}
	r.hide(token)
	return bearer + token, nil
}

// isVisible says whether a text is all visible ASCII.
func isVisible(text string) bool {
	for _, b := range []byte(text) {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return true
}

// tokenRejected says whether the service rejected the token before it looked at the request (RFC 6750 section 3.1).
func (o outcome) tokenRejected() bool {
	if o.verdict != refused || o.answer.Status != http.StatusUnauthorized {
		return false
	}
	for _, challenge := range o.answer.Header.Values("WWW-Authenticate") {
		if bearerError(challenge) == "invalid_token" {
			return true
		}
	}
	return false
}

// bearerError is the error parameter of the Bearer challenge in a WWW-Authenticate header (RFC 9110 section 11.6.1);
// empty when there is none. A header may hold several challenges, each a scheme and its parameters.
func bearerError(header string) string {
	scheme := ""
	for header != "" {
		var item string
		item, header = cutItem(header)
		name, value, isParameter := strings.Cut(item, "=")
		if word, rest, spaced := strings.Cut(strings.TrimSpace(name), " "); spaced || !isParameter {
			scheme, name = word, rest
		}
		if isParameter && strings.EqualFold(scheme, "Bearer") && strings.EqualFold(strings.TrimSpace(name), "error") {
			return strings.ReplaceAll(strings.Trim(strings.TrimSpace(value), `"`), `\`, "")
		}
	}
	return ""
}

// cutItem cuts a list at its first comma outside of quotes.
func cutItem(list string) (item, rest string) {
	quoted := false
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++
		case ',':
			if !quoted {
				return strings.TrimSpace(list[:i]), list[i+1:]
			}
		}
	}
	return strings.TrimSpace(list), ""
}
