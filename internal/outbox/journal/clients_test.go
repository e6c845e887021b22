package journal_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

// as returns the journal of a client. An empty name means that the client is not known: it has only a token.
func as(path, client string) *journal.Journal {
	s := scope(path)
	s.Client = func(context.Context) (string, error) { return client, nil }
	return s
}

// ownIntent returns a write of the journal's own service and client.
func ownIntent(key string) journal.PendingWrite {
	i := intent(key)
	i.Service, i.Client = "", ""
	return i
}

// A write of an unknown client is resolved in its own entry by a known client, and the other way round.
func TestResolvingAnotherClientsWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ sender, resolver string }{{"", "c"}, {"c", ""}} {
		path := filepath.Join(t.TempDir(), "journal.db")
		sender, resolver := as(path, test.sender), as(path, test.resolver)
		for _, key := range []string{"found", "not found"} {
			_, mine := claim(t, sender, ownIntent(key), false)
			require.True(t, mine)
		}
		require.NoError(t, sender.Close())
		open := listed(t, resolver)
		require.Len(t, open, 2)
		for i := range open {
			require.Equal(t, test.sender, open[i].Client)
		}
		open[0].Ending = journal.Ending{Outcome: effect.Done, Subject: "trf_1"}
		open[1].Ending = journal.Ending{Outcome: journal.OutcomeClosed}
		require.NoError(t, resolver.Record(t.Context(), open))
		require.Empty(t, listed(t, resolver), "no other entry was made")
		require.Equal(t, journal.OutcomeClosed, entryOf(t, resolver, open[1].PendingWrite).Outcome)
		require.NoError(t, resolver.Close())
	}
}

func listed(t *testing.T, s *journal.Journal) (open []journal.Entry) {
	t.Helper()
	require.NoError(t, s.Each(t.Context(), journal.Filter{Open: true}, func(e journal.Entry) error {
		open = append(open, e)
		return nil
	}))
	return open
}

// An unknown client may be any client. What it has sent, or may have sent, a known one does not send, and the other way
// round. An open write may be sent again if both have its key.
func TestTheSamePaymentByAClientThatIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, names := range [][2]string{{"", "c"}, {"c", ""}} {
		for _, keys := range [][2]string{{"k", "k"}, {"one", "two"}, {"", "one"}, {"one", ""}} {
			t.Run(fmt.Sprint(names, keys), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "journal.db")
				j, other := as(path, names[0]), as(path, names[1])
				defer j.Close()
				defer other.Close()
				of := func(reference, key string) journal.PendingWrite {
					i := payment(reference, key)
					i.Service = ""
					return i
				}
				for _, outcome := range outcomes[1:] {
					bringTo(t, j, of(string(outcome), keys[0]), outcome)
				}
				for _, outcome := range []effect.Outcome{journal.OutcomeSending, effect.Unknown} {
					entry, mine := claim(t, other, of(string(outcome), keys[1]), true)
					require.False(t, mine)
					require.True(t, entry.Busy)
					require.Equal(t, names[0], entry.Client)
				}
				require.NoError(t, j.Close())
				for _, outcome := range outcomes[1:] {
					second := of(string(outcome), keys[1])
					isOpen := outcome == journal.OutcomeSending || outcome == effect.Unknown
					entry, mine := claim(t, other, second, false)
					require.Equal(t, outcome == effect.Refused || outcome == effect.NotSent, mine, outcome)
					if isOpen {
						require.Equal(t, outcome, entry.Outcome)
						require.False(t, entry.Busy)
						_, mine = claim(t, other, second, true)
						require.Equal(t, keys[0] == keys[1], mine)
					}
				}
			})
		}
	}
}
