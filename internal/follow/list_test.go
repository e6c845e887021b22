package follow

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A list whose cursors lead back, or to empty pages without end, ends the watch.
func TestListsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(asked int, cursor string) ([]State, string){
		"back": func(_ int, cursor string) ([]State, string) {
			return []State{{ID: "s1", Status: "new"}}, map[string]string{"": "a", "a": "b", "b": "a"}[cursor]
		},
		"empty": func(asked int, _ string) ([]State, string) { return nil, strconv.Itoa(asked) },
	} {
		for _, feed := range []bool{true, false} {
			t.Run(name+" "+strconv.FormatBool(feed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld("s1")
					w.feed = feed
					asked := 0
					subjects := w.subjects()
					subjects.List = func(_ context.Context, cursor string) ([]State, string, error) {
						if asked++; asked > 2000 {
							return nil, "", context.Canceled
						}
						states, next := list(asked, cursor)
						return states, next, nil
					}
					e := Engine{Service: w, Subjects: subjects, All: true, Interval: 5 * time.Second, Each: func(Change) error { return nil }}
					_, err := e.Run(t.Context())
					require.ErrorIs(t, err, payments.ErrEndless)
				})
			})
		}
	}
}

// A watch of all that ends before it has read the whole list says so: it does not know what there was to wait for.
func TestUnreadListsAreReported(t *testing.T) {
	t.Parallel()
	for _, pages := range []int{0, 1, 2} {
		for _, feed := range []bool{true, false} {
			t.Run(strconv.Itoa(pages)+" "+strconv.FormatBool(feed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld("s1")
					w.feed = feed
					subjects := w.subjects()
					asked := 0
					subjects.List = func(ctx context.Context, cursor string) ([]State, string, error) {
						if asked++; asked > pages && pages < 2 {
							<-ctx.Done()
							return nil, "", ctx.Err()
						}
						return []State{{ID: "s1", Status: "new"}}, map[string]string{"": "second"}[cursor], nil
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					reported, loaded := 0, -1
					each := func(Change) error {
						reported++
						return nil
					}
					e := Engine{Service: w, Subjects: subjects, All: true, Interval: 5 * time.Second, Each: each}
					e.Loaded = func() {
						require.Equal(t, -1, loaded, "once")
						loaded = reported
					}
					summary, err := e.Run(ctx)
					require.ErrorIs(t, err, context.DeadlineExceeded)
					require.Equal(t, pages < 2, summary.Unlisted)
					require.Equal(t, pages < 2, loaded == -1)
					require.Equal(t, min(pages, 1), reported)
				})
			})
		}
	}
}

// While a long list is read, the feed is asked for news so rarely that nearly all requests are those for the list. The
// first page is reported at once, and each change once: also of a subject that is listed twice.
func TestLongListsNeedFewRequestsForTheFeed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const pages = 500
		w := newWorld()
		for i := range 3 * pages {
			w.set(strconv.Itoa(i), "new")
		}
		from := len(w.log)
		subjects := w.subjects()
		var progress []int
		c := &recorder{t: t, paths: map[string][]string{}}
		subjects.First = func(context.Context) ([]State, error) { return []State{{ID: "0", Status: "new"}}, nil }
		subjects.List = func(ctx context.Context, cursor string) ([]State, string, error) {
			n := w.count("list")
			if n == 1 {
				require.Equal(t, []int{1, 4}, progress)
				require.Len(t, c.paths, 4, "what was read first is reported before the second page is read")
			}
			pass(20 * time.Millisecond)
			w.set(strconv.Itoa(n%7), fmt.Sprint("before ", n))
			states, next, err := w.list(ctx, cursor)
			w.set(strconv.Itoa(n%7), fmt.Sprint("after ", n))
			for i := range states {
				states[i].Partial = false
			}
			if n%10 == 5 { // as a list does whose pages shift
				states = append(states, State{ID: "3", Status: w.statuses["3"]})
			}
			return states, next, err
		}
		e := Engine{
			Service: w, Subjects: subjects, All: true, Interval: 5 * time.Second, Each: c.each,
			Progress: func(read int) { progress = append(progress, read) },
		}
		ctx, cancel := context.WithCancel(t.Context())
		e.Loaded = cancel
		_, err := e.Run(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, pages, w.count("list"))
		// One for the cursor, then two each time: the second one finds the end of what was new.
		require.LessOrEqual(t, w.count("events"), 1+2*20)
		require.Equal(t, w.histories(from), c.paths)
		require.IsIncreasing(t, progress)
	})
}
