package outbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A foldingClient is a client of a service that writes external ids in lower case.
type foldingClient struct {
	*fakeClient
	accounts []payments.Account
}

func (c *foldingClient) CreateAccount(
	ctx context.Context, account payments.NewAccount, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	if err := key.MaySend(ctx, nil); err != nil {
		return payments.WriteResult[payments.Account]{}, err
	}
	c.accounts = append(c.accounts, payments.Account{ID: "acc_1", ExternalID: strings.ToLower(account.ExternalID)})
	// Package client does not use a response with another external id.
	return payments.WriteResult[payments.Account]{}, payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "It is not known.", "")
}

func (c *foldingClient) ListAccounts(context.Context, payments.AccountFilter) (payments.AccountPage, error) {
	return payments.AccountPage{Data: c.accounts}, nil
}

// An import must not create an account again and again because the service shows its external id in another form.
func TestAnImportIsNotRepeatedForANearExternalID(t *testing.T) {
	t.Parallel()
	s := newFakeService(nil)
	m := s.machine(t)
	client := &foldingClient{fakeClient: &fakeClient{fakeService: s}}
	writes := m.journal()
	t.Cleanup(func() { require.NoError(t, writes.Close()) })
	o := New(client, writes, Options{Now: s.clock.now, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	account := payments.NewAccount{ExternalID: "P-1"}
	for range 3 {
		_, err := o.ImportAccount(t.Context(), account)
		require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
		s.clock.pass(2 * AbsentAfter)
	}
	require.Len(t, client.accounts, 1)
	elsewhere := s.machine(t).journal()
	t.Cleanup(func() { require.NoError(t, elsewhere.Close()) })
	other := New(client, elsewhere, Options{Now: s.clock.now})
	_, err := other.ImportAccount(t.Context(), account)
	require.ErrorContains(t, err, `The external id "P-1" belongs to no account, but acc_1 has "p-1"`)
	require.Len(t, client.accounts, 1)
}
