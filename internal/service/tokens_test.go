package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

func newIdentity(clients map[string]string) (*service.Identity, *sandbox.Clock) {
	clock := sandbox.NewManualClock(paytestStart)
	return &service.Identity{Store: memory.New(), Clients: clients, Lifetime: time.Hour, World: func(context.Context, string) (*store.World, time.Time, error) {
		return &store.World{Instance: "wld_1"}, clock.Now(), nil
	}}, clock
}

func TestTokenLife(t *testing.T) {
	t.Parallel()
	identity, _ := newIdentity(nil)
	token, err := identity.CreateAccessToken(background, "sandbox", "secret", payments.AccessTokenRequest{Scope: "kyc:read accounts:read kyc:read"})
	require.NoError(t, err)
	require.Equal(t, "Bearer", token.TokenType)
	require.Equal(t, 3600, token.ExpiresIn)
	require.Equal(t, "accounts:read kyc:read", token.Scope)
	require.Len(t, token.AccessToken, 43, "256 random bits")

	other, err := identity.CreateAccessToken(background, "sandbox", "secret", payments.AccessTokenRequest{})
	require.NoError(t, err)
	require.NotEqual(t, token.AccessToken, other.AccessToken)
	require.NoError(t, identity.RevokeAccessToken(background, other.AccessToken))
	require.NoError(t, identity.RevokeAccessToken(background, other.AccessToken))
	_, err = identity.FindToken(background, other.AccessToken)
	requireRefused(t, err, payments.KindUnauthenticated)
	_, err = identity.CreateAccessToken(background, "sandbox", "secret", payments.AccessTokenRequest{Scope: "kyc:read everything"})
	require.Equal(t, []string{"scope"}, requireRefused(t, err, payments.KindValidation).Errors.Names())
}

func TestFirstUseFixesTheSecret(t *testing.T) {
	t.Parallel()
	identity, _ := newIdentity(nil)
	for _, test := range []struct {
		id, secret string
		works      bool
	}{
		{"a", "first", true}, {"a", "second", false}, {"a", "first", true}, {"b", "second", true}, {"", "x", false}, {"c", "", false}, {"A", "x", true},
	} {
		_, err := identity.CreateAccessToken(background, test.id, test.secret, payments.AccessTokenRequest{})
		if test.works {
			require.NoError(t, err)
		} else {
			requireRefused(t, err, payments.KindUnauthenticated)
		}
	}
}

func TestOnlyNamedClients(t *testing.T) {
	t.Parallel()
	identity, _ := newIdentity(map[string]string{"a": "secret"})
	_, err := identity.CreateAccessToken(background, "a", "secret", payments.AccessTokenRequest{})
	require.NoError(t, err)
	var details []string
	for id, secret := range map[string]string{"a": "other", "b": "secret", "": ""} {
		_, err := identity.CreateAccessToken(background, id, secret, payments.AccessTokenRequest{})
		details = append(details, requireRefused(t, err, payments.KindUnauthenticated).Detail)
	}
	require.Equal(t, []string{details[0], details[0], details[0]}, details, "a refusal does not tell which of both is wrong")
}
