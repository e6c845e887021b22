package client

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// A TokenSource supplies the Bearer token of a client's calls. A call returns its errors unchanged and is not sent.
type TokenSource interface {
	// Token returns the token to send.
	Token(ctx context.Context) (string, error)
	// Renew replaces a token that the service rejected. The error is errors.ErrUnsupported if it cannot.
	Renew(ctx context.Context, rejected string) (string, error)
}

const bearer = "Bearer "

// authorize returns the Authorization header of a request; empty if it has none.
func (c *Client) authorize(ctx context.Context, r *request) (string, error) {
	switch {
	case r.credential != "":
		return r.credential, nil
	case c.config.Token == nil, r.isAnonymous:
		return "", nil
	}
	return c.bearerHeader(c.config.Token.Token(ctx))
}

// Authorize returns an error if no credential can be obtained.
func (c *Client) Authorize(ctx context.Context) error {
	if c.config.Token == nil {
		return nil
	}
	_, err := c.config.Token.Token(ctx)
	return err
}

// renew returns the Authorization header after the service rejected the one before. The error is errors.ErrUnsupported
// if the rejected header does not come from the token source.
func (c *Client) renew(ctx context.Context, r *request, rejected string) (string, error) {
	if r.credential != "" || rejected == "" {
		return "", errors.ErrUnsupported
	}
	return c.bearerHeader(c.config.Token.Renew(ctx, strings.TrimPrefix(rejected, bearer)))
}

// bearerHeader returns the Authorization header for a token (RFC 6750 section 2.1). It makes the token a known secret.
func (c *Client) bearerHeader(token string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	c.config.Secrets.Add(token)
	if token == "" || !isVisibleASCII(token) {
		return "", invalidCredential("The token is empty, or holds characters that no header can have. " +
			"Get another one with payctl auth login.")
	}
	return bearer + token, nil
}

func isVisibleASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}

// rejectsToken reports whether a WWW-Authenticate header says that the token is invalid (RFC 6750 section 3.1). A wrong
// guess only renews the token once.
func rejectsToken(header http.Header) bool {
	challenge := strings.ToLower(strings.Join(header.Values("WWW-Authenticate"), ","))
	return strings.Contains(challenge, "bearer") && strings.Contains(challenge, "invalid_token")
}

// CreateAccessToken implements payments.Tokens. It is the only call with Basic credentials (RFC 7617). A zero request
// has no body, as in the published interface.
func (c *Client) CreateAccessToken(
	ctx context.Context, clientID, clientSecret string, request payments.AccessTokenRequest,
) (payments.AccessToken, error) {
	if clientID == "" || strings.Contains(clientID, ":") {
		return payments.AccessToken{}, invalidCredential("The client id must not be empty or hold a colon.")
	}
	if strings.ContainsFunc(clientID+clientSecret, isControl) {
		return payments.AccessToken{}, invalidCredential(
			"The client id and its secret must not hold control characters; was a line end pasted along?")
	}
	pair := base64.StdEncoding.EncodeToString([]byte(clientID + ":" + clientSecret))
	c.config.Secrets.Add(clientSecret, pair)
	call := operationCall{op: &contract.CreateAccessToken, credential: "Basic " + pair, needs: "access_token"}
	if request != (payments.AccessTokenRequest{}) {
		call.body = request
	}
	token, err := fetch[payments.AccessToken](ctx, c, call)
	token.AccessToken = strings.TrimSpace(token.AccessToken)
	if _, err := c.bearerHeader(token.AccessToken, err); err != nil {
		return payments.AccessToken{}, err
	}
	if kind := strings.ToUpper(token.TokenType); kind == "MAC" || kind == "DPOP" {
		return payments.AccessToken{}, invalidCredential("The service gives tokens of the type " + kind +
			", and payctl sends Bearer tokens (RFC 6750) alone. Have the service give this client Bearer tokens.")
	}
	token.TokenType, token.Scope = c.config.Secrets.Redact(token.TokenType), c.config.Secrets.Redact(token.Scope)
	return token, nil
}

// tokenProblem describes a refusal by the token operation without the service's text. It is nil if the response has
// neither an error code of OAuth nor a problem type of the contract.
func (c *Client) tokenProblem(r *request, response *payments.Response) *payments.ProblemError {
	kind := (&payments.Problem{Type: effect.Text(response.Body, "type")}).ProblemType()
	code := effect.Text(response.Body, "error")
	var problem *payments.ProblemError
	switch {
	case response.Status < 500 && slices.Contains(redact.OAuthErrors, code):
		problem = invalidCredential(fmt.Sprintf("%s %s was answered with status %d and the error %s (RFC 6749 section 5.2). "+
			"Check the client id, its secret and the base URL.", r.method, r.url.Path, response.Status, code))
	case payments.Describe(kind).Type == kind:
		problem = payments.NewProblem(kind, "%s %s was answered with status %d. Its text is not shown: it may hold a token.",
			r.method, r.url.Path, response.Status)
	default:
		return nil
	}
	return r.at(c.withResponse(problem, response))
}

// DescribeAccessToken implements payments.Tokens.
func (c *Client) DescribeAccessToken(ctx context.Context, token string) (payments.AccessTokenDescription, error) {
	authorization, err := c.bearerHeader(token, nil)
	if err != nil {
		return payments.AccessTokenDescription{}, err
	}
	call := operationCall{op: &contract.DescribeAccessToken, credential: authorization}
	return fetch[payments.AccessTokenDescription](ctx, c, call)
}

// RevokeAccessToken implements payments.Tokens.
func (c *Client) RevokeAccessToken(ctx context.Context, token string) error {
	authorization, err := c.bearerHeader(token, nil)
	if err != nil {
		return err
	}
	return c.callForNoContent(ctx, operationCall{op: &contract.RevokeAccessToken, credential: authorization})
}

// isControl reports whether a character must not be in Basic credentials (RFC 7617 section 2).
func isControl(c rune) bool { return c < ' ' || c == 0x7f }
