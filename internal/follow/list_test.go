package follow

import (
	"context"
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
