package follow

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// odd is a world whose feed misbehaves.
type odd struct {
	*world
	events func(context.Context) error                                       // nil means unchanged
	list   func(payments.EventFilter, payments.EventPage) payments.EventPage // nil means unchanged
	stream func(context.Context) error                                       // nil means unchanged
}

func (o odd) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	if o.events != nil {
		return payments.EventPage{}, o.events(ctx)
	}
	page, err := o.world.ListEvents(ctx, filter)
	if err == nil && o.list != nil {
		page = o.list(filter, page)
	}
	return page, err
}

func (o odd) StreamEvents(
	ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error,
) error {
	if o.stream == nil {
		return o.world.StreamEvents(ctx, filter, each)
	}
	if err := o.ask("stream"); err != nil {
		return err
	}
	return o.stream(ctx)
}

// follow runs an engine over an odd world while the script runs, and returns the reported statuses.
func (o odd) follow(t *testing.T, e *Engine, script func()) map[string][]string {
	t.Helper()
	e.Service, e.Subjects = o, o.subjects()
	collected, err := follow(t, e, script)
	require.ErrorIs(t, err, context.Canceled)
	return collected.paths
}

// If a feed repeats events, even out of order, no change is reported twice, and none that did not happen.
func TestFeedThatRepeatsItselfOutOfOrder(t *testing.T) {
	t.Parallel()
	for name, disorder := range map[string]bool{"repeats": false, "out of order": true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a", "b")
			o := odd{world: w, list: func(filter payments.EventFilter, page payments.EventPage) payments.EventPage {
				if filter.After == payments.LatestEvent || len(page.Data) == 0 {
					return page
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				first := slices.IndexFunc(w.log, func(e payments.Event) bool { return e.ID == page.Data[0].ID })
				page.Data = append(slices.Clone(w.log[max(2, first-3):first]), page.Data...)
				if disorder {
					slices.Reverse(page.Data)
				}
				return page
			}}
			paths := o.follow(t, &Engine{IDs: []string{"a", "b"}}, func() {
				for _, step := range [][2]string{{"a", "1"}, {"b", "1"}, {"a", "2"}, {"b", "2"}, {"a", "1"}, {"b", "3"}} {
					pass(time.Minute)
					w.set(step[0], step[1])
					pass(time.Second)
				}
				pass(time.Minute)
			})
			require.Equal(t, map[string][]string{"a": {"new", "1", "2", "1"}, "b": {"new", "1", "2", "3"}}, paths, name)
		})
	}
}

// Two changes in the wrong order are both reported once.
func TestFeedWithTheLaterChangeFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a")
		o := odd{world: w, list: func(filter payments.EventFilter, page payments.EventPage) payments.EventPage {
			if len(page.Data) == 2 {
				slices.Reverse(page.Data)
			}
			return page
		}}
		w.fails = func(what string) error {
			if what == "events" {
				pass(3 * time.Second)
			}
			return nil
		}
		paths := o.follow(t, &Engine{IDs: []string{"a"}}, func() {
			pass(time.Minute)
			w.set("a", "1")
			pass(time.Second)
			w.set("a", "2")
			pass(time.Minute)
		})
		require.Equal(t, map[string][]string{"a": {"new", "1", "2"}}, paths)
	})
}

// A feed that always returns the same event neither delays the first states nor is requested without a pause.
func TestFeedThatDoesNotMoveOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("a")
		o := odd{world: w, list: func(filter payments.EventFilter, page payments.EventPage) payments.EventPage {
			if filter.After == payments.LatestEvent {
				return page
			}
			return payments.EventPage{Data: slices.Clone(w.log[:1]), Cursor: w.cursor(1)}
		}}
		paths := o.follow(t, &Engine{IDs: []string{"a"}}, func() {
			w.set("a", "1")
			pass(10 * time.Minute)
		})
		require.NotEmpty(t, paths["a"])
		require.Less(t, w.count("events"), 150)
	})
}

// Behind a proxy that buffers streams, long polls are used.
func TestStreamThatNeverBringsAnything(t *testing.T) {
	t.Parallel()
	for _, end := range []error{nil, payments.NewProblem(payments.ProblemUnusable, "silent for too long")} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a")
			o := odd{world: w, stream: func(ctx context.Context) error { return cmp.Or(wait.Sleep(ctx, time.Minute), end) }}
			paths := o.follow(t, &Engine{IDs: []string{"a"}}, func() {
				pass(5 * time.Minute)
				w.set("a", "1")
				pass(time.Second)
				require.Equal(t, 1, w.count("stream"))
			})
			require.Equal(t, map[string][]string{"a": {"new", "1"}}, paths)
		})
	}
}
