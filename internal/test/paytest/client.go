package paytest

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
)

// Client makes a client of the service, logged in as the test client. Its changed configuration may have a clock; see
// package clock. A restart of the service, or another world, needs another client.
func (s *Service) Client(t testing.TB, change ...func(*client.Config)) *client.Client {
	t.Helper()
	base, err := url.Parse(s.URL)
	require.NoError(t, err)
	plain, err := client.New(client.Config{BaseURL: base})
	require.NoError(t, err)
	defer plain.CloseIdleConnections()
	token, err := plain.CreateAccessToken(t.Context(), ClientID, ClientSecret, payments.AccessTokenRequest{})
	require.NoError(t, err)
	config := client.Config{BaseURL: base, Token: Token(token.AccessToken), UserAgent: "payctl/test"}
	for _, change := range change {
		change(&config)
	}
	c, err := client.New(config)
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// A Token is an access token that cannot be renewed. It implements client.TokenSource.
type Token string

// Token implements client.TokenSource.
func (t Token) Token(context.Context) (string, error) { return string(t), nil }

// Renew implements client.TokenSource.
func (Token) Renew(context.Context, string) (string, error) { return "", errors.ErrUnsupported }
