package follow

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A list that always has one more page, with subjects that were not there before, ends the watch at its limit.
func TestEndlessSubjectsEndTheWatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status string
		wanted LimitError
		pages  int
	}{
		"subjects": {"new", LimitError{Most: 1000}, 11},
		"texts":    {strings.Repeat("n", 50_000), LimitError{Most: 1000, Text: true}, 1}, // of 100 times 50,000 bytes
	} {
		for _, feed := range []bool{true, false} {
			t.Run(name+" "+strconv.FormatBool(feed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					w.feed = feed
					pages, seen := 0, 0
					subjects := w.subjects()
					subjects.List = func(context.Context, string) (page []State, next string, err error) {
						if pages++; pages > 2*c.pages {
							return nil, "", context.Canceled
						}
						for range 100 {
							page = append(page, State{ID: fmt.Sprint(pages, "-", len(page)), Status: c.status})
						}
						return page, strconv.Itoa(pages), nil
					}
					e := Engine{Service: w, Subjects: subjects, All: true, Most: c.wanted.Most, Interval: 5 * time.Second,
						Each: func(Change) error { seen++; return nil }}
					summary, err := e.Run(t.Context())
					require.Equal(t, &c.wanted, err)
					require.Equal(t, c.pages, pages)
					require.LessOrEqual(t, seen, 1000)
					require.LessOrEqual(t, len(summary.Waiting), 1000)
				})
			})
		}
	}
}

// A subject that appears during the watch counts, too.
func TestSubjectsThatAppearCount(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{true, false} {
		t.Run(strconv.FormatBool(feed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("s1", "s2", "s3")
				w.feed = feed
				done := make(chan error, 1)
				e := Engine{Service: w, Subjects: w.subjects(), All: true, Most: 4, Interval: 5 * time.Second,
					Each: func(Change) error { return nil }}
				go func() {
					_, err := e.Run(t.Context())
					done <- err
				}()
				pass(time.Minute)
				w.set("s4", "new")
				w.set("s1", "other")
				pass(time.Minute)
				require.Empty(t, done, "four are as many as there may be")
				w.set("s5", "new")
				require.Equal(t, &LimitError{Most: 4}, <-done)
			})
		})
	}
}

func TestLimitForgetsTheDeleted(t *testing.T) {
	t.Parallel()
	tracked := &tracker{most: 1, report: func(Change) error { return nil }, byID: map[string]*subject{}}
	long := strings.Repeat("x", textOfFew)
	for i := range 10 {
		id := strconv.Itoa(i)
		require.NoError(t, tracked.record(State{ID: id, Status: long}))
		require.NoError(t, tracked.record(State{ID: id, Status: "short"}))
		require.NoError(t, tracked.record(State{ID: id, Status: long}))
		require.Error(t, tracked.add("another"))
		tracked.remove(id)
	}
	require.Zero(t, tracked.size)
}

// A feed that has ever more news about subjects that cannot be read counts as lost, since the news cannot all be kept.
func TestEventsOfUnreadSubjectsAreBounded(t *testing.T) {
	t.Parallel()
	status := "new"
	f := &feedFollower{unread: map[string][]payments.Event{"s1": nil}}
	for range mostKept {
		require.NoError(t, f.handle(t.Context(), payments.Event{SubjectID: "s1", To: &status}))
	}
	require.ErrorIs(t, f.handle(t.Context(), payments.Event{SubjectID: "s1", To: &status}), errFeedLost)
}
