package journal_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
)

// payment returns a payment with a reference and a key. An empty key means the key made of the reference.
func payment(reference, key string) journal.PendingWrite {
	i := intent(reference + key)
	i.Reference, i.World = reference, "w"
	if key == "" {
		i.Key = journal.ReferenceKey(i.Operation, i.Reference)
	}
	return i
}

// Many goroutines of two programs claim one reference with several keys at once. One may send it, and the others get
// its entry.
func TestOneReferenceWithSeveralKeys(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"one", "two"}, {"", "one"}, {"", "one", "two", "three"}} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			journals := []*journal.Journal{open(t, path), open(t, path)}
			var group sync.WaitGroup
			var mu sync.Mutex
			var claims []journal.Claim
			winner := ""
			for n := range 48 {
				group.Go(func() {
					i := payment("r", keys[n%len(keys)])
					made, err := journals[n/len(keys)%2].Claim(t.Context(), []journal.PendingWrite{i}, journal.Mode(n%3))
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						t.Error(err)
						return
					}
					claims = append(claims, made...)
					if made[0].Mine {
						winner = i.Key
					}
				})
			}
			group.Wait()
			mine := 0
			for _, c := range claims {
				if c.Mine {
					mine++
					continue
				}
				require.Equal(t, winner, c.Entry.Key)
				require.Equal(t, journal.OutcomeSending, c.Entry.Outcome)
				require.True(t, c.Entry.Busy)
			}
			require.Equal(t, 1, mine)
		})
	}
}

// An entry with the same reference and another key is in the way if it is busy. It is also in the way if it is open,
// done or closed in the same world. The order of the keys does not matter.
func TestReferenceThatHasAnEntry(t *testing.T) {
	t.Parallel()
	for _, keys := range [][2]string{{"one", "two"}, {"one", ""}, {"", "one"}} {
		for _, how := range []struct{ isDead, isOtherWorld bool }{{}, {true, false}, {false, true}, {true, true}} {
			t.Run(fmt.Sprint(keys, how), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "journal.db")
				j, other := open(t, path), open(t, path)
				for _, outcome := range outcomes[1:] {
					bringTo(t, j, payment(string(outcome), keys[0]), outcome)
				}
				if how.isDead {
					require.NoError(t, j.Close())
				}
				for _, outcome := range outcomes[1:] {
					first, second := payment(string(outcome), keys[0]), payment(string(outcome), keys[1])
					if how.isOtherWorld {
						second.World = "another"
					}
					isOpen := outcome == journal.OutcomeSending || outcome == effect.Unknown
					isBusy := isOpen && !how.isDead
					isSettled := outcome == effect.Done || outcome == journal.OutcomeClosed
					stands := (isOpen || isSettled) && !how.isOtherWorld || isBusy
					for _, takeOver := range []bool{true, false} {
						entry, mine := claim(t, other, second, takeOver)
						require.Equal(t, !stands && takeOver, mine, "the second time it is already claimed")
						require.Equal(t, isBusy || !stands && !takeOver, entry.Busy)
						if stands {
							require.Equal(t, first.Key, entry.Key)
							require.Equal(t, outcome, entry.Outcome)
						}
					}
					if !stands {
						first.World = second.World
						entry, mine := claim(t, other, first, true)
						require.False(t, mine, "then the first one may not be sent either")
						require.Equal(t, second.Key, entry.Key)
					}
				}
			})
		}
	}
}
