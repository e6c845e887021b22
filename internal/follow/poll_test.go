package follow

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

func TestPolling(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var ids []string
			for i := range 192 {
				ids = append(ids, "s"+strconv.Itoa(i))
			}
			w := newWorld(ids...)
			w.feed = false
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
			if all {
				require.Less(t, w.count("read"), 400, "most come with the list")
			}
		})
	}
}

// However a service without a feed fails, the reports are some of the changes, in their order, up to the last one.
func TestPollingAServiceInTrouble(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		all := rapid.Bool().Draw(r, "all")
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			ids := []string{"a", "b", "c", "d", "e"}
			w := newWorld(ids...)
			w.feed = false
			var mu sync.Mutex
			calm := false
			w.fails = func(string) error {
				mu.Lock()
				defer mu.Unlock()
				if calm || random.IntN(4) > 0 {
					return nil
				}
				return []error{unusable(), payments.NewProblem(payments.KindUnavailable, "")}[random.IntN(2)]
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
					require.GreaterOrEqual(t, at, 0, "%s was reported after a later one", status)
					path = path[at+1:]
				}
			}
		})
	})
}

// A feed that appears is followed; when it disappears, the service is polled.
func TestEngineWithAFeedThatComesAndGoes(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var ids []string
			for i := range 150 {
				ids = append(ids, "s"+strconv.Itoa(i))
			}
			w := newWorld(ids...)
			w.feed = false
			feed := func(has bool) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.feed = has
				w.epoch++ // its cursors are others
			}
			e := Engine{All: all}
			if !all {
				e.IDs = ids
			}
			var notes []string
			e.Note = func(text string) { notes = append(notes, text) }
			collected, _, err := w.follow(t, e, func() {
				for n := range 4 {
					pass(20 * time.Minute)
					if n%2 == 1 {
						before := w.count("events")
						require.NotZero(t, before, "the feed was found")
					}
					w.set("s7", strconv.Itoa(n))
					pass(20 * time.Minute)
					feed(n%2 == 0)
					w.set("s8", strconv.Itoa(n))
				}
				pass(20 * time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, collected.paths, 150)
			require.Equal(t, []string{"new", "0", "1", "2", "3"}, collected.paths["s7"])
			require.Equal(t, []string{"new", "0", "1", "2", "3"}, collected.paths["s8"])
			require.Len(t, notes, 7, "%q", notes)
		})
	}
}

// Without a feed many subjects are looked for in the list; those that it does not have, or too far down, are read one by
// one.
func TestPollingFindsManyInTheList(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ids, extra int
		listable   bool
		most       int // questions in ten minutes
	}{
		"in the list":        {ids: 120, listable: true, most: 135*3 + 120},
		"list not to be had": {ids: 120, most: 120 * 135},
		"rare in the list":   {ids: 120, extra: 400, listable: true, most: 120 * 135},
	} {
		synctest.Test(t, func(t *testing.T) {
			var ids []string
			for i := range c.ids {
				ids = append(ids, "s"+strconv.Itoa(i))
			}
			w := newWorld(ids...)
			for i := range c.extra {
				w.set("x"+strconv.Itoa(i), "new")
			}
			w.feed, w.perPage = false, 40
			w.fails = func(what string) error {
				if what == "list" && !c.listable {
					return payments.NewProblem(payments.KindInsufficientScope, "")
				}
				return nil
			}
			collected, _, err := w.follow(t, Engine{IDs: ids}, func() {
				pass(2 * time.Minute)
				w.set(ids[3], "1")
				w.set(ids[119], "1")
				pass(8 * time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, collected.paths, c.ids, "%s: no other subject is reported", name)
			require.Equal(t, []string{"new", "1"}, collected.paths[ids[3]], name)
			require.Equal(t, []string{"new", "1"}, collected.paths[ids[119]], name)
			require.LessOrEqual(t, w.count("read", "list"), c.most, name)
		})
	}
}

// A subject that does not exist ends the watch, as with a feed.
func TestPollingFailsForAMissingSubject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ids := []string{"missing"}
		for i := range 120 {
			ids = append(ids, "s"+strconv.Itoa(i))
		}
		w := newWorld(ids[1:]...)
		w.feed = false
		_, _, err := w.follow(t, Engine{IDs: ids}, func() { pass(time.Minute) })
		require.True(t, payments.IsKind(err, payments.KindNotFound), "%v", err)
	})
}

// A deleted subject fails, and the others are still watched; one that is not found for a moment does not fail.
func TestDeletedSubject(t *testing.T) {
	t.Parallel()
	for name, many := range map[string]int{"few": 0, "many": 120} {
		for _, forGood := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				ids := []string{"a", "b"}
				for i := range many {
					ids = append(ids, "s"+strconv.Itoa(i))
				}
				w := newWorld(ids...)
				w.feed = false
				var gone []string
				e := Engine{IDs: ids, Goal: Goal{Wanted: []string{"ok"}, CanReach: reach}, Gone: func(id string) { gone = append(gone, id) }}
				exists := func(is bool) {
					w.mu.Lock()
					defer w.mu.Unlock()
					w.statuses["a"] = map[bool]string{true: "new"}[is]
					w.ids = w.ids[1:]
					if is {
						w.ids = append([]string{"a"}, w.ids...)
					}
				}
				_, summary, err := w.follow(t, e, func() {
					pass(time.Minute)
					exists(false)
					pass(8 * time.Second)
					if !forGood {
						w.mu.Lock()
						w.ids = append([]string{""}, w.ids...)
						w.mu.Unlock()
						exists(true)
					}
					pass(5 * time.Minute)
					for _, id := range ids[1:] {
						w.set(id, "ok")
					}
					pass(time.Minute)
					if !forGood {
						w.set("a", "ok")
					}
					pass(time.Minute)
				})
				require.NoError(t, err)
				if forGood {
					require.Equal(t, []SubjectResult{{"a", "new", "the service does not have it any more"}}, summary.Failed, name)
					require.Equal(t, []string{"a"}, gone)
				} else {
					require.Empty(t, summary.Failed, name)
				}
				require.Len(t, summary.Reached, len(ids)-1+map[bool]int{true: 0, false: 1}[forGood])
			})
		}
	}
}

// Only 404 in a row count: a subject that is not found now and then exists.
func TestSubjectThatIsNotFoundNowAndThen(t *testing.T) {
	t.Parallel()
	for name, many := range map[string]int{"few": 0, "many": 120} {
		synctest.Test(t, func(t *testing.T) {
			ids := []string{"a"}
			for i := range many {
				ids = append(ids, "s"+strconv.Itoa(i))
			}
			w := newWorld(ids...)
			w.feed, w.perPage = false, 40
			e := Engine{IDs: ids, Goal: Goal{Wanted: []string{"ok"}, CanReach: reach}}
			_, summary, err := w.follow(t, e, func() {
				for range 2 * mostNotFound {
					pass(time.Minute)
					w.mu.Lock()
					w.statuses["a"], w.ids = "", w.ids[1:]
					w.mu.Unlock()
					pass(8 * time.Second)
					w.mu.Lock()
					w.statuses["a"], w.ids = "new", append([]string{"a"}, w.ids...)
					w.mu.Unlock()
				}
				pass(time.Minute)
				for _, id := range ids {
					w.set(id, "ok")
				}
				pass(time.Minute)
			})
			require.NoError(t, err, name)
			require.Empty(t, summary.Failed, name)
			require.Len(t, summary.Reached, len(ids), name)
		})
	}
}

// A context that ends while nothing is under way ends the watch.
func TestPollingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a")
		w.feed = false
		_, _, err := w.follow(t, Engine{IDs: []string{"a"}}, func() { pass(findFeedEvery * 3) })
		require.ErrorIs(t, err, context.Canceled)
	})
}
