package contacts

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// pagesOfAccounts is a service that lists accounts in pages, whatever the filter says.
type pagesOfAccounts struct {
	payments.Service
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

// A service need not filter by the external id. An account of another one is not the one that is looked for, and the one
// that is may stand on any page.
func TestAccountsWithExternalID(t *testing.T) {
	t.Parallel()
	account := func(id, external string) payments.Account { return payments.Account{ID: id, ExternalID: external} }
	service := pagesOfAccounts{
		pages: [][]payments.Account{
			{account("acc_4", "other"), account("acc_3", "mine")}, {},
			{account("acc_3", "mine"), account("acc_2", "mine"), account("acc_1", "Mine")},
		},
		next: []string{"a", "b", ""},
	}
	ids, err := accountsWithExternalID(t.Context(), service, "mine")
	require.NoError(t, err)
	require.Equal(t, []string{"acc_2", "acc_3"}, ids)
	ids, err = accountsWithExternalID(t.Context(), service, "nobody's")
	require.NoError(t, err)
	require.Empty(t, ids)

	service.next[2] = "a"
	_, err = accountsWithExternalID(t.Context(), service, "mine")
	require.ErrorIs(t, err, payments.ErrEndless)
}
