package payments_test

import (
	"context"
	"slices"
	"strconv"
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

// A service need not filter by the external id. An account of another one is not the one that is looked for, and the one
// that is may stand on any page.
func TestFindAccounts(t *testing.T) {
	t.Parallel()
	account := func(id, external string) payments.Account { return payments.Account{ID: id, ExternalID: external} }
	service := pagesOfAccounts{
		pages: [][]payments.Account{
			{account("acc_4", "other"), account("acc_3", "mine")}, {}, {account("acc_2", "mine"), account("acc_1", "Mine")},
		},
		next: []string{"a", "b", ""},
	}
	match, err := payments.FindAccounts(t.Context(), service, "mine")
	require.NoError(t, err)
	require.Equal(t, payments.Match[payments.Account]{
		Found: true, First: account("acc_2", "mine"), Others: []string{"acc_3"},
	}, match)
	match, err = payments.FindAccounts(t.Context(), service, "nobody's")
	require.NoError(t, err)
	require.Zero(t, match)

	service.next[2] = "a"
	_, err = payments.FindAccounts(t.Context(), service, "mine")
	require.ErrorIs(t, err, payments.ErrEndless)
}

// A lister lists the same pages whatever is asked for, as a service does that does not know a filter.
type lister struct {
	payments.Transfers
	pages [][]payments.Transfer
	asked int
}

func (l *lister) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	page := payments.TransferPage{Data: l.pages[min(l.asked, len(l.pages)-1)]}
	l.asked++
	if l.asked != len(l.pages) {
		cursor := string(rune('a' + min(l.asked, len(l.pages))))
		page.NextCursor = &cursor
	}
	return page, nil
}

// What a service lists is compared with what was asked for: another's transfer must not be taken for one's own.
func TestFindTransfers(t *testing.T) {
	t.Parallel()
	of := func(id, reference, external string) payments.Transfer {
		return payments.Transfer{ID: id, Reference: reference, ExternalID: external}
	}
	pages := [][]payments.Transfer{
		{of("5", "other", ""), of("4", "r", "x"), of("3", "r", "")},
		{of("3", "r", ""), of("2", "", "x")}, // the list grew between the pages, so that 3 comes again
		{of("1", "r", ""), of("0", "R", "")},
	}
	for _, c := range []struct {
		filter payments.TransferFilter
		first  string
		others []string
	}{
		{payments.TransferFilter{Reference: "r"}, "1", []string{"3", "4"}},
		{payments.TransferFilter{Reference: "R"}, "0", nil},
		{payments.TransferFilter{ExternalID: "x"}, "2", []string{"4"}},
		{payments.TransferFilter{Reference: "r", ExternalID: "x"}, "4", nil},
		{payments.TransferFilter{Reference: "r2"}, "", nil},
	} {
		match, err := payments.FindTransfers(t.Context(), &lister{pages: pages}, c.filter)
		require.NoError(t, err)
		require.Equal(t, c.first != "", match.Found)
		require.Equal(t, c.first, match.First.ID)
		require.Equal(t, c.others, match.Others)
		require.Nil(t, match.Near)
	}
}

// A reference that only looks the same is another one: payctl must not say that it was paid, nor that it was not.
func TestALookalikeIsNotAMatch(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]string{
		"case": "CAF\u00c9 1", "space around": " caf\u00e9 1\t", "another space": "caf\u00e9\u00a01",
		"two spaces": "caf\u00e9  1", "normal form": "cafe\u0301 1", "invisible": "\ufeffcaf\u00e9\u200b 1",
	} {
		pages := [][]payments.Transfer{{{ID: "2", Reference: there}, {ID: "other"}}, {{ID: "1", Reference: there}, {ID: "0"}}}
		match, err := payments.FindTransfers(t.Context(), &lister{pages: pages}, payments.TransferFilter{Reference: "caf\u00e9 1"})
		require.NoError(t, err)
		require.False(t, match.Found, name)
		require.NotNil(t, match.Near, name)
		require.Equal(t, "1", match.Near.ID, "the oldest one")
		require.NotEqual(t, `"café 1"`, payments.QuoteReference(there), name)
	}
	pages := [][]payments.Transfer{{{Reference: "cafe 1"}, {Reference: "caf\u00e9 2"}, {Reference: ""}}}
	match, err := payments.FindTransfers(t.Context(), &lister{pages: pages}, payments.TransferFilter{Reference: "caf\u00e9 1"})
	require.NoError(t, err)
	require.Zero(t, match)
}

// A list that begins anew at its end is not read for ever.
func TestAListWithoutAnEnd(t *testing.T) {
	t.Parallel()
	endless := &lister{pages: [][]payments.Transfer{{}}, asked: 1}
	_, err := payments.FindTransfers(t.Context(), endless, payments.TransferFilter{Reference: "r"})
	require.ErrorIs(t, err, payments.ErrEndless)
}

// A list of which every transfer has the reference that is looked for has no oldest one.
func TestAListThatMatchesWithoutAnEnd(t *testing.T) {
	t.Parallel()
	endless := &matching{}
	_, err := payments.FindTransfers(t.Context(), endless, payments.TransferFilter{Reference: "r"})
	require.ErrorIs(t, err, payments.ErrManyMatches)
	require.Equal(t, 11, endless.asked, "of a hundred each")
}

// matching makes up pages of transfers with the reference that is asked for.
type matching struct {
	payments.Transfers
	asked int
}

func (m *matching) ListTransfers(_ context.Context, filter payments.TransferFilter) (page payments.TransferPage, err error) {
	if m.asked++; m.asked > 100 {
		return page, context.Canceled
	}
	next := strconv.Itoa(m.asked)
	page.NextCursor = &next
	for i := range filter.Limit {
		page.Data = append(page.Data, payments.Transfer{ID: next + "-" + strconv.Itoa(i), Reference: filter.Reference})
	}
	return page, nil
}

// A response that shows the reference in another form is of another transfer.
func TestContradicts(t *testing.T) {
	t.Parallel()
	ten, twenty := payments.MustDecimal("10"), payments.MustDecimal("20")
	asked := payments.NewAutoTransfer{Reference: "caf\u00e9", Amount: &ten}
	for want, shown := range map[string]*payments.Transfer{
		"": {Reference: "caf\u00e9", Amount: &ten},
		`its reference is "Café", and not "café"`:            {Reference: "Caf\u00e9"},
		`its reference is "cafe\u0301", and not "café"`:      {Reference: "cafe\u0301"},
		`its reference is "\ufeffcaf\u00e9", and not "café"`: {Reference: "\ufeffcaf\u00e9"},
		`its amount is 20.00, and not 10.00`:                 {Amount: &twenty},
	} {
		require.Equal(t, want, shown.Contradicts(asked))
	}
	require.Empty(t, (&payments.Transfer{}).Contradicts(asked), "what a service leaves out contradicts nothing")
	require.Empty(t, (&payments.Transfer{Reference: "made-up"}).Contradicts(payments.NewAutoTransfer{}))
}
