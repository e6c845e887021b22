package watch

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

func TestEngineWithoutAFeedHoldsAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a", "b", "c", "d")
		w.feed, w.holds = false, true
		var at []time.Duration
		start := time.Now()
		e := Engine{IDs: []string{"a", "b", "c"}}
		collected := &told{t: t, paths: map[string][]string{}, then: func(Change) { at = append(at, time.Since(start)) }}
		e.Each = collected.each
		_, _, err := w.follow(t, e, func() {
			pass(10 * time.Minute)
			w.set("b", "1")
			pass(time.Minute)
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, map[string][]string{"a": {"new"}, "b": {"new", "1"}, "c": {"new"}}, collected.paths)
		require.Equal(t, 10*time.Minute, at[3], "told at once")
		require.Equal(t, 3, w.most)
		require.InDelta(t, 3*11*2, w.count("read"), 8, "each is asked for once a hold")
	})
}

func TestEngineWithoutAFeedAsksInTurn(t *testing.T) {
	t.Parallel()
	for _, tags := range []bool{false, true} {
		for _, all := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var ids []string
				for i := range 3 * mostHeld {
					ids = append(ids, "s"+strconv.Itoa(i))
				}
				w := newWorld(ids...)
				w.feed, w.holds, w.tags = false, true, tags
				e := Engine{All: all}
				if !all {
					e.IDs = ids
				}
				collected, _, err := w.follow(t, e, func() {
					for n := range 50 {
						pass(12 * time.Second)
						w.set(ids[n], "1")
					}
					w.set("late", "new")
					pass(time.Minute)
					w.set(ids[7], "2")
					pass(12 * time.Second)
				})
				require.ErrorIs(t, err, context.Canceled)
				expected := w.histories(0)
				if !all {
					delete(expected, "late")
				}
				require.Equal(t, expected, collected.paths)
				require.Zero(t, w.most, "more than can be held are not asked to be")
				if all {
					require.Less(t, w.count("read"), 400, "the list tells of most")
				}
			})
		}
	}
}

// However a service without a feed fails, what is told of each subject is part of what happened, in order, to the end.
func TestEngineInTroubleWithoutAFeed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		all, holds := rapid.Bool().Draw(r, "all"), rapid.Bool().Draw(r, "holds")
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			ids := []string{"a", "b", "c", "d", "e"}
			w := newWorld(ids...)
			w.feed, w.holds = false, holds
			var mu sync.Mutex
			calm := false
			w.fails = func(string) error {
				mu.Lock()
				defer mu.Unlock()
				if calm || random.IntN(4) > 0 {
					return nil
				}
				return []error{unusable(), payments.Refuse(payments.KindUnavailable, "")}[random.IntN(2)]
			}
			e := Engine{All: all}
			if !all {
				e.IDs = ids
			}
			collected, _, err := w.follow(t, e, func() {
				script := rand.New(rand.NewPCG(seed, 3))
				for n := range 60 {
					pass(time.Duration(script.IntN(60000)) * time.Millisecond)
					w.set(ids[script.IntN(len(ids))], strconv.Itoa(n))
				}
				mu.Lock()
				calm = true
				mu.Unlock()
				pass(5 * time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			for id, path := range w.histories(0) {
				seen := collected.paths[id]
				require.NotEmpty(t, seen)
				require.Equal(t, path[len(path)-1], seen[len(seen)-1])
				for _, status := range seen {
					at := slices.Index(path, status)
					require.GreaterOrEqual(t, at, 0, "%s was told after a later one", status)
					path = path[at+1:]
				}
			}
		})
	})
}
