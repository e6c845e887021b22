package journal_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// as is the journal as a client sees it; with an empty name, as one does that has a token and no more.
func as(path, client string) *journal.Scope {
	s := scope(path)
	s.Client = func(context.Context) (string, error) { return client, nil }
	return s
}

// What was sent with a token whose client is not known is settled where it stands, also by a client that is known: to be
// done, when it is found. That somebody else does not see it says nothing.
func TestSettlingWhatAnotherClientMayHaveSent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	for _, test := range []struct{ sender, settler string }{{"", "c"}, {"c", ""}} {
		sender, settler := as(path, test.sender), as(path, test.settler)
		for _, key := range []string{"found", "not found"} {
			_, mine, err := sender.Begin(t.Context(), intent(key), false)
			require.NoError(t, err)
			require.True(t, mine)
		}
		require.NoError(t, sender.Close())

		open := listed(t, settler)
		require.Len(t, open, 2)
		for i := range open {
			require.Equal(t, test.sender, open[i].Client)
		}
		open[0].Result = payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_1"}
		require.NoError(t, settler.Record(t.Context(), open[:1]))
		open[1].Result = payments.Result{Outcome: payments.OutcomeAbsent}
		require.ErrorIs(t, settler.Record(t.Context(), open[1:]), journal.ErrOthers)

		left := listed(t, settler)
		require.Len(t, left, 1, "no other entry was made")
		require.Equal(t, "not found", left[0].Key)
		now, found, err := settler.Lookup(t.Context(), left[0].Intent)
		require.NoError(t, err)
		require.True(t, found, "it is looked up where it stands")
		require.Equal(t, payments.OutcomeSending, now.Outcome)

		// Only its own sender may call it absent.
		again := as(path, test.sender)
		left[0].Result = payments.Result{Outcome: payments.OutcomeAbsent}
		require.NoError(t, again.Record(t.Context(), left))
		require.Empty(t, listed(t, settler))
		require.NoError(t, again.Close())
		require.NoError(t, settler.Close())
	}
}

// What is open elsewhere is counted, so that nobody takes his own profile's for all.
func TestWhatIsOpenElsewhere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	other := as(path, "c")
	other.Service = "https://other.example.com"
	for _, s := range []*journal.Scope{as(path, "c"), as(path, "d"), as(path, ""), other} {
		for _, key := range []string{"a", "b"} {
			_, _, err := s.Begin(t.Context(), intent(key), false)
			require.NoError(t, err)
		}
		require.NoError(t, s.End(intent("b"), payments.Result{Outcome: payments.OutcomeDone}))
		require.NoError(t, s.Close())
	}
	mine := as(path, "c")
	defer mine.Close()
	counts, err := mine.OpenElsewhere(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]int{"https://api.example.com": 1, "https://other.example.com": 1}, counts)
	require.Len(t, listed(t, mine), 2)
}

func listed(t *testing.T, s *journal.Scope) (open []payments.JournalEntry) {
	t.Helper()
	require.NoError(t, s.Each(t.Context(), journal.Filter{Open: true}, func(e payments.JournalEntry) error {
		open = append(open, e)
		return nil
	}))
	return open
}
