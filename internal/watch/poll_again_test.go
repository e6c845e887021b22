package watch

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A feed that comes to be is followed, and one that goes is done without, whatever is watched.
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
				w.life++ // its cursors are others
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

// Without a feed many subjects are found in the list, which tells of many at once; those that are not in there, or too far
// down to be worth it, are asked for by themselves.
func TestEngineWithoutAFeedFindsManyInTheList(t *testing.T) {
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
			w.feed, w.holds, w.perPage = false, true, 40
			w.fails = func(what string) error {
				if what == "list" && !c.listable {
					return payments.Refuse(payments.KindInsufficientScope, "")
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
			require.Len(t, collected.paths, c.ids, "%s: those that were not asked for are left alone", name)
			require.Equal(t, []string{"new", "1"}, collected.paths[ids[3]], name)
			require.Equal(t, []string{"new", "1"}, collected.paths[ids[119]], name)
			require.LessOrEqual(t, w.count("read", "list"), c.most, name)
		})
	}
}

// One that is not in the list and nowhere else ends the watch, as it does where there is a feed.
func TestEngineWithoutAFeedMissesOneOfMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ids := []string{"nobody"}
		for i := range 120 {
			ids = append(ids, "s"+strconv.Itoa(i))
		}
		w := newWorld(ids[1:]...)
		w.feed = false
		_, _, err := w.follow(t, Engine{IDs: ids}, func() { pass(time.Minute) })
		require.True(t, payments.IsKind(err, payments.KindNotFound), "%v", err)
	})
}

// What gives every answer an entity tag of its own is not asked without a pause.
func TestEngineWithRestlessEntityTags(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a", "b")
		w.feed, w.holds, w.restless = false, true, true
		collected, _, err := w.follow(t, Engine{IDs: []string{"a", "b"}}, func() {
			pass(5 * time.Minute)
			w.set("a", "1")
			pass(5 * time.Minute)
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, map[string][]string{"a": {"new", "1"}, "b": {"new"}}, collected.paths)
		require.Less(t, w.count("read"), 2*150)
	})
}

// One that was there and is no more ends badly, and not the watch of the others; one that is away for a moment does not.
func TestEngineWithOneThatIsNoMore(t *testing.T) {
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
					w.versions["a"]++
				}
				_, summary, err := w.follow(t, e, func() {
					pass(time.Minute)
					exists(false)
					pass(8 * time.Second)
					if !forGood {
						w.ids = append([]string{""}, w.ids...)
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
					require.Equal(t, []Standing{{"a", "new", "the service does not have it any more"}}, summary.Badly, name)
					require.Equal(t, []string{"a"}, gone)
				} else {
					require.Empty(t, summary.Badly, name)
				}
				require.Len(t, summary.Reached, len(ids)-1+map[bool]int{true: 0, false: 1}[forGood])
			})
		}
	}
}

// Only looks in a row count: who is away now and then, for weeks, is there.
func TestEngineWithOneThatIsAwayNowAndThen(t *testing.T) {
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
				for range 2 * mostAbsent {
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
			require.Empty(t, summary.Badly, name)
			require.Len(t, summary.Reached, len(ids), name)
		})
	}
}

// A context that ends while nothing is under way ends the watch.
func TestEngineWithoutAFeedEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a")
		w.feed = false
		_, _, err := w.follow(t, Engine{IDs: []string{"a"}}, func() { pass(lookAgain * 3) })
		require.ErrorIs(t, err, context.Canceled)
	})
}
