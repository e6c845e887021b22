package payments_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// pagesOfAccounts is a service that lists accounts in pages, whatever the filter says.
type pagesOfAccounts struct {
	payments.Accounts
	pages [][]payments.Account // newest first
	next  []string             // cursor behind each page; empty: none
}

func (p pagesOfAccounts) ListAccounts(_ context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	at := 0
	if filter.Cursor != "" {
		at = slices.Index(p.next, filter.Cursor) + 1
	}
	page := payments.AccountPage{Data: p.pages[at]}
	if p.next[at] != "" {
		page.NextCursor = &p.next[at]
	}
	return page, nil
}

// A service need not filter by the external id. An account of another one is not the one that is looked for, and the one that
// is may stand on any page.
func TestFirstAccount(t *testing.T) {
	t.Parallel()
	account := func(id, external string) payments.Account { return payments.Account{ID: id, ExternalID: external} }
	service := pagesOfAccounts{
		pages: [][]payments.Account{{account("acc_4", "other"), account("acc_3", "mine")}, {}, {account("acc_2", "mine"), account("acc_1", "older")}},
		next:  []string{"a", "b", ""},
	}
	found, ok, err := payments.FirstAccount(t.Context(), service, "mine")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "acc_2", found.ID, "the first that was made")
	_, ok, err = payments.FirstAccount(t.Context(), service, "nobody's")
	require.NoError(t, err)
	require.False(t, ok)

	service.next[2] = "a"
	_, _, err = payments.FirstAccount(t.Context(), service, "mine")
	require.ErrorIs(t, err, payments.ErrEndless)
}
