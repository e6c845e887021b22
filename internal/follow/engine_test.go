package follow

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// Whatever fails, no change is reported twice or out of order. None is missing while the feed works.
func TestEngineReportsEachChangeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		all := rapid.Bool().Draw(r, "all")
		stream := rapid.Bool().Draw(r, "stream")
		feedFails := rapid.Bool().Draw(r, "feed fails")
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			var mu sync.Mutex
			chance := func(n int) bool {
				mu.Lock()
				defer mu.Unlock()
				return random.IntN(n) == 0
			}
			var ids []string
			for i := range 7 {
				ids = append(ids, "s"+strconv.Itoa(i))
			}
			w := newWorld(ids...)
			w.stream = stream
			calm := false
			w.fails = func(what string) error {
				if chance(3) {
					pass(500 * time.Millisecond) // an answer takes time, and statuses change meanwhile
				}
				mu.Lock()
				quiet := calm
				mu.Unlock()
				switch {
				case quiet || !feedFails && what != "read" && what != "list" || !chance(4):
					return nil
				case chance(3) && what != "message":
					return &payments.ProblemError{Problem: payments.Problem{Type: string(payments.ProblemUnreachable)}}
				case chance(3) && what != "message":
					limited := payments.NewProblem(payments.ProblemRateLimited, "")
					limited.RetryAfter = 40 * time.Second
					return limited
				}
				return &payments.ProblemError{Problem: payments.Problem{Type: string(payments.ProblemUnusable)}} // cut off
			}
			had := map[string]int{} // how many statuses a subject had had at its first report
			collected := &recorder{t: t, paths: map[string][]string{}}
			collected.then = func(c Change) {
				if c.From == nil {
					had[c.ID] = len(w.histories()[c.ID])
				}
			}
			e := Engine{Each: collected.each, All: all}
			if !all {
				e.IDs = ids
			}
			script := rand.New(rand.NewPCG(seed, 2))
			_, err := w.follow(t, &e, func() {
				for n := range 120 { // half an hour
					pass(time.Duration(script.IntN(30000)) * time.Millisecond)
					id := ids[script.IntN(len(ids))]
					w.set(id, strconv.Itoa(n))
					if chance(3) {
						w.set(id, strconv.Itoa(n)+"b") // at the same moment
					}
					if all && chance(10) {
						ids = append(ids, "n"+strconv.Itoa(n))
						w.set(ids[len(ids)-1], "new")
					}
				}
				mu.Lock()
				calm = true
				mu.Unlock()
				pass(10 * time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, collected.paths, len(ids))
			for id, all := range w.histories() {
				path := collected.paths[id]
				require.Equal(t, all[len(all)-1], path[len(path)-1])
				first := len(all) - len(path)
				if !feedFails {
					require.Equal(t, all[first:], path, "after the first report none is missing, and none is reported twice")
					require.Less(t, first, had[id])
				}
				for rest := all; len(path) > 0; path = path[1:] {
					at := slices.Index(rest, path[0])
					require.GreaterOrEqual(t, at, 0, "in order, and none twice")
					rest = rest[at+1:]
				}
			}
		})
	})
}

func TestEngineAfterTheFeedLostThePlace(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a", "b", "c", "d")
			w.stream = true
			var notes []string
			e := Engine{All: all, Note: func(text string) { notes = append(notes, text) }}
			if !all {
				e.IDs = []string{"a", "b", "c", "d"}
			}
			collected, err := w.follow(t, &e, func() {
				pass(time.Minute)
				w.set("a", "1")
				pass(time.Minute)
				w.mu.Lock()
				w.epoch++
				if all { // it goes on without a subject that is gone
					w.ids = w.ids[:3]
					delete(w.statuses, "d")
				}
				w.mu.Unlock()
				w.set("b", "2") // in the gap
				pass(time.Minute)
				w.set("b", "3")
				pass(time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, map[string][]string{
				"a": {"new", "1"}, "b": {"new", "2", "3"}, "c": {"new"}, "d": {"new"},
			}, collected.paths)
			require.Len(t, notes, 1)
			if all {
				require.Less(t, w.count("list"), 10)
			}
		})
	}
}

func TestEngineEndsAtItsGoal(t *testing.T) {
	t.Parallel()
	for name, feed := range map[string]bool{"feed": true, "no feed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("a", "b", "c")
				w.feed, w.stream = feed, true
				goal := Goal{Wanted: []string{"ok", "fine"}, CanReach: reach}
				e := &Engine{IDs: []string{"a", "b", "c"}, Goal: goal}
				collected, err := w.follow(t, e, func() {
					for _, step := range [][2]string{{"a", "ok"}, {"a", "more"}, {"b", "dead"}, {"c", "odd"}, {"c", "fine"}} {
						pass(time.Minute)
						w.set(step[0], step[1])
					}
					pass(time.Minute)
				})
				require.NoError(t, err)
				require.Equal(t, map[string][]string{
					"a": {"new", "ok"}, "b": {"new", "dead"}, "c": {"new", "odd", "fine"},
				}, collected.paths)
				require.Equal(t, Summary{
					Reached: []SubjectResult{{"a", "ok", ""}, {"c", "fine", ""}}, Failed: []SubjectResult{{"b", "dead", ""}},
				}, e.Summary())
			})
		})
	}
}

func TestEngineFailsForAMissingSubject(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a")
			w.feed = feed
			e := &Engine{IDs: []string{"a", "missing"}}
			_, err := w.follow(t, e, func() { pass(time.Second) })
			require.True(t, payments.IsProblem(err, payments.ProblemNotFound), "%v", err)
			require.Len(t, e.Summary().Waiting, 2)
		})
	}
}

func TestEngineReportsAnOutageOnce(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a", "b", "c")
			w.feed = feed
			start := time.Now()
			w.fails = func(string) error {
				if since := time.Since(start); since > 2*time.Minute && since < 12*time.Minute {
					return payments.NewProblem(payments.ProblemUnavailable, "")
				}
				return nil
			}
			var reports []string
			e := Engine{IDs: []string{"a", "b", "c"}, Trouble: func(err error) {
				reports = append(reports, map[bool]string{true: "recovered", false: "trouble"}[err == nil])
			}}
			_, err := w.follow(t, &e, func() { pass(17 * time.Minute) })
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, []string{"trouble", "recovered"}, reports)
		})
	}
}

// A service in trouble gets few requests: the pauses grow to half a minute.
func TestPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(5*time.Second, nil)
		c.backoff.Rand = func() float64 { return 1 }
		asked, start := 0, time.Now()
		require.NoError(t, c.call(t.Context(), func() error {
			if asked++; time.Since(start) < 10*time.Minute {
				return payments.NewProblem(payments.ProblemUnavailable, "")
			}
			return nil
		}))
		require.Equal(t, 26, asked)
	})
}

// Run passes on a panic, whichever goroutine it began in.
func TestEnginePassesOnPanics(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{false, true} {
		for _, where := range []string{"read", "each"} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("a", "b")
				w.feed = feed
				w.fails = func(what string) error {
					if what == where {
						panic("boom")
					}
					return nil
				}
				e := Engine{
					Service: w, Subjects: w.subjects(), IDs: []string{"a", "b"}, Interval: time.Second,
					Note: func(string) {}, Each: func(Change) error { panic("boom") },
				}
				require.Panics(t, func() { _ = e.Run(t.Context()) })
			})
		}
	}
}

// While nothing changes, there is less than one request a second, however many subjects are followed.
func TestEngineAtRest(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var ids []string
			for i := range 300 {
				ids = append(ids, "s"+strconv.Itoa(i))
			}
			w := newWorld(ids...)
			w.stream = stream
			before := 0
			_, err := w.follow(t, &Engine{IDs: ids}, func() {
				pass(time.Minute + time.Second) // in the middle of a long poll
				before = w.count("read", "list", "events", "stream")
				pass(10 * time.Minute)
				before = w.count("read", "list", "events", "stream") - before
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, before, 600)
		})
	}
}

// While the feed does not work, the statuses are polled. The user is told once.
func TestEngineBesideABrokenFeed(t *testing.T) {
	t.Parallel()
	unavailable := payments.NewProblem(payments.ProblemUnavailable, "")
	for name, feed := range map[string]func(context.Context) error{
		"fails": func(context.Context) error { return unavailable },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"endless": func(ctx context.Context) error {
			return cmp.Or(wait.Sleep(ctx, 30*time.Second), error(payments.NewProblem(payments.ProblemUnusable, "")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("a")
				o := odd{world: w, events: feed}
				var told []bool
				at := time.Time{}
				e := Engine{
					Service: o, Subjects: w.subjects(), IDs: []string{"a"}, Interval: 5 * time.Second, Note: func(string) {},
					Goal: Goal{Wanted: []string{"ok"}, CanReach: reach}, Polling: func(why error) { told = append(told, why != nil) },
					Each: func(c Change) error {
						if c.From == nil {
							require.Less(t, time.Since(at), 2*time.Second)
						}
						return nil
					},
				}
				at = time.Now()
				go func() {
					pass(time.Minute)
					w.set("a", "ok")
				}()
				require.NoError(t, e.Run(t.Context()))
				require.Less(t, time.Since(at), time.Minute+6*time.Second)
				require.Equal(t, []bool{true}, told)
			})
		})
	}
}

// A silent feed is noticed, and so is a service that does not answer.
func TestEngineBesideASilentFeed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a", "b")
		w.stream = true
		o := odd{world: w, stream: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		var frozen atomic.Bool
		w.fails = func(what string) error {
			if frozen.Load() && what == "read" {
				pass(time.Minute)
			}
			return nil
		}
		var polls, troubled atomic.Bool
		paths := o.follow(t, &Engine{
			IDs: []string{"a", "b"}, Polling: func(error) { polls.Store(true) },
			Trouble: func(err error) { troubled.Store(err != nil) },
		}, func() {
			pass(time.Minute)
			w.set("a", "1")
			pass(20 * time.Second)
			require.True(t, polls.Load())
			require.False(t, troubled.Load())
			frozen.Store(true)
			pass(10 * time.Second)
			require.True(t, troubled.Load())
		})
		require.Equal(t, map[string][]string{"a": {"new", "1"}, "b": {"new"}}, paths)
	})
}

// The first statuses of many subjects come from the list, unless the list is much longer.
func TestEngineReadsManySubjects(t *testing.T) {
	t.Parallel()
	for _, others := range []int{0, 5000} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.perPage = 100
			var ids []string
			for i := range 200 {
				ids = append(ids, "s"+strconv.Itoa(i))
				w.set(ids[i], "new")
			}
			for i := range others * 4 {
				w.set("other"+strconv.Itoa(i), "new")
			}
			collected, err := w.follow(t, &Engine{IDs: ids}, func() { pass(time.Second) })
			require.ErrorIs(t, err, context.Canceled)
			require.Len(t, collected.paths, 200)
			require.LessOrEqual(t, w.count("list"), 100)
			require.LessOrEqual(t, w.count("read"), 200)
			if others == 0 {
				require.LessOrEqual(t, w.count("list", "read"), 102, "two pages, and a read of each partial state")
			}
		})
	}
}
