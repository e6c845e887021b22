package client

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// CreateAccessToken implements payments.Tokens. It is the one call with Basic credentials (RFC 7617). A zero request
// is sent without a body, which is all that the published interface shows.
func (c *Client) CreateAccessToken(ctx context.Context, clientID, clientSecret string, request payments.AccessTokenRequest) (payments.AccessToken, error) {
	if clientID == "" || strings.Contains(clientID, ":") {
		return payments.AccessToken{}, invalidCredential("The client id must not be empty or hold a colon.")
	}
	if strings.ContainsFunc(clientID+clientSecret, isControl) {
		return payments.AccessToken{}, invalidCredential("The client id and its secret must not hold control characters; was a line end pasted along?")
	}
	pair := base64.StdEncoding.EncodeToString([]byte(clientID + ":" + clientSecret))
	invocation := call{
		op: &contract.CreateAccessToken, credential: "Basic " + pair, secrets: []string{clientSecret, pair},
	}
	if request != (payments.AccessTokenRequest{}) {
		invocation.body = request
	}
	token, _, err := perform(ctx, c, invocation,
		func(token *payments.AccessToken) string { return lacks("access_token", token.AccessToken != "") })
	c.config.Secrets.Add(token.AccessToken)
	shown := c.config.Secrets.redactor()
	token.TokenType, token.Scope = shown.text(token.TokenType), shown.text(token.Scope)
	return token, err
}

// DescribeAccessToken implements payments.Tokens.
func (c *Client) DescribeAccessToken(ctx context.Context, token string) (payments.AccessTokenDescription, error) {
	invocation, err := withToken(&contract.DescribeAccessToken, token)
	if err != nil {
		return payments.AccessTokenDescription{}, err
	}
	description, _, err := perform(ctx, c, invocation,
		func(d *payments.AccessTokenDescription) string { return lacks("expiresAt", !d.ExpiresAt.IsZero()) })
	return description, err
}

// RevokeAccessToken implements payments.Tokens.
func (c *Client) RevokeAccessToken(ctx context.Context, token string) error {
	invocation, err := withToken(&contract.RevokeAccessToken, token)
	if err != nil {
		return err
	}
	_, err = c.call(ctx, invocation, nil)
	return err
}

// withToken is a call about the token that it presents.
func withToken(op *contract.Operation, token string) (call, error) {
	var holder request
	credential, err := bearerOf(&holder, token)
	return call{op: op, credential: credential, secrets: holder.secrets}, err
}

// isControl says whether a character may not be in Basic credentials (RFC 7617 section 2).
func isControl(c rune) bool { return c < ' ' || c == 0x7f }
