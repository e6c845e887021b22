package follow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
)

// ledger is a feed of numbered events, whose cursors are numbers too.
type ledger struct {
	events int
	held   func() // called in place of holding an answer; nil: answers come at once
	asked  []payments.EventFilter
	fail   func() error
}

func numbered(n int) payments.Event { return payments.Event{ID: strconv.Itoa(n), Type: "x"} }

func (l *ledger) ListEvents(_ context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	l.asked = append(l.asked, filter)
	if l.fail != nil {
		if err := l.fail(); err != nil {
			return payments.EventPage{}, err
		}
	}
	from := l.events
	if filter.After != payments.LatestEvent {
		from, _ = strconv.Atoi(filter.After)
	}
	if from == l.events && filter.Wait > 0 && l.held != nil {
		l.held()
	}
	page := payments.EventPage{Data: []payments.Event{}, Cursor: strconv.Itoa(from)}
	for n := from + 1; n <= l.events && len(page.Data) < filter.Limit; n++ {
		page.Data = append(page.Data, numbered(n))
		page.Cursor = strconv.Itoa(n)
	}
	return page, nil
}

// streaming is a ledger with a stream too, which breaks at random.
type streaming struct {
	*ledger
	breaks  func(sent int) error // nil error and true end: the stream ends
	streams []string
}

func (s *streaming) StreamEvents(_ context.Context, filter payments.EventFilter, each func(payments.EventMessage) error) error {
	s.streams = append(s.streams, filter.After)
	from, _ := strconv.Atoi(filter.After)
	for n := from + 1; n <= s.events; n++ {
		if err := s.breaks(n - from); err != nil {
			return err
		}
		event := numbered(n)
		if err := each(payments.EventMessage{Cursor: event.ID, Event: &event, Retry: time.Second}); err != nil {
			return err
		}
	}
	return nil
}

func unusable() error { return payments.NewProblem(payments.KindUnusable, "broken") }

// However often streams break and answers fail, each event is seen once and in order, and a feed that begins again at the
// last cursor misses none.
func TestFeedSeesEachEventOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		last := rapid.IntRange(1, 250).Draw(r, "events")
		listed := rapid.Bool().Draw(r, "listed")
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			l := &ledger{events: last, fail: func() error {
				if random.IntN(3) == 0 {
					return unusable()
				}
				return nil
			}}
			var service payments.Events = l
			if !listed {
				service = &streaming{ledger: l, breaks: func(int) error { return map[bool]error{true: unusable()}[random.IntN(20) == 0] }}
			}
			var seen []string
			cursor := ""
			for len(seen) < last { // each time until it is killed
				kill := 1 + random.IntN(40)
				f := Feed{
					Service: service, Filter: payments.EventFilter{After: cursor}, Interval: time.Second,
					Each: func(e payments.Event) (bool, error) {
						seen = append(seen, e.ID)
						kill--
						return kill == 0 || len(seen) == last, nil
					},
					Moved: func(at string) error {
						cursor = at
						return nil
					},
				}
				require.NoError(t, f.Run(t.Context()))
				require.Equal(t, seen[len(seen)-1], cursor)
			}
			for i, id := range seen {
				require.Equal(t, strconv.Itoa(i+1), id)
			}
		})
	})
}

func TestFeedBeginsAtAPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{events: 7}
		s := &streaming{ledger: l}
		attempts := 0
		s.breaks = func(int) error { return nil }
		f := Feed{Service: s, Filter: payments.EventFilter{After: payments.LatestEvent, Types: []payments.EventType{"x"}}, Interval: time.Minute,
			Moved: func(string) error {
				if attempts++; attempts == 1 {
					l.events++ // between the answer and the stream
				}
				return nil
			},
			Each: func(e payments.Event) (bool, error) {
				require.Equal(t, "8", e.ID)
				return true, nil
			}}
		require.NoError(t, f.Run(t.Context()))
		require.Equal(t, []string{"7"}, s.streams)
		require.Len(t, l.asked, 1)
		require.Equal(t, []payments.EventType{"x"}, l.asked[0].Types)
	})
}

func TestFeedWithoutAStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{events: 1}
		s := &streaming{ledger: l, breaks: func(int) error { return fmt.Errorf("no stream (%w)", errors.ErrUnsupported) }}
		held := 0
		l.held = func() {
			if held++; held == 3 {
				l.events++
				return
			}
			<-time.After(HoldFor)
		}
		start := time.Now()
		f := Feed{Service: s, Filter: payments.EventFilter{}, Interval: time.Hour,
			Each: func(e payments.Event) (bool, error) { return e.ID == "2", nil }}
		require.NoError(t, f.Run(t.Context()))
		require.Equal(t, []string{""}, s.streams, "it is not tried again")
		require.Equal(t, 2*HoldFor, time.Since(start), "held answers are asked for at once")
	})
}

func TestFeedThatDoesNotHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &ledger{}
		l.fail = func() error {
			if len(l.asked) == 5 {
				l.events = 1
			}
			return nil
		}
		start := time.Now()
		f := Feed{Service: l, Interval: 10 * time.Second, Each: func(payments.Event) (bool, error) { return true, nil }}
		require.NoError(t, f.Run(t.Context()))
		require.InDelta(t, 40*time.Second, time.Since(start), float64(4*time.Second))
	})
}

func TestFeedReportsTroubleOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reports []string
		l := &ledger{events: 1}
		l.fail = func() error {
			if n := len(l.asked); n < 4 || n == 5 {
				return unusable()
			}
			l.events = len(l.asked) - 3
			return nil
		}
		f := Feed{Service: l, Interval: time.Second,
			Each: func(e payments.Event) (bool, error) {
				reports = append(reports, e.ID)
				return e.ID == "3", nil
			},
			Trouble:   func(error) { reports = append(reports, "trouble") },
			Recovered: func() { reports = append(reports, "recovered") },
		}
		require.NoError(t, f.Run(t.Context()))
		require.Equal(t, []string{"trouble", "recovered", "1", "trouble", "recovered", "2", "3"}, reports)
	})
}

func TestFeedEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone := payments.NewProblem(payments.KindGone, "gone")
		f := Feed{Service: &ledger{fail: func() error { return gone }}, Interval: time.Second}
		require.Equal(t, gone, f.Run(t.Context()))
		broken := errors.New("the disk is full")
		f = Feed{Service: &ledger{events: 3}, Interval: time.Second, Each: func(payments.Event) (bool, error) { return false, broken }}
		require.Equal(t, broken, f.Run(t.Context()))
		f = Feed{Service: &ledger{events: 3}, Interval: time.Second, Each: func(payments.Event) (bool, error) { return false, nil },
			Moved: func(string) error { return broken }}
		require.Equal(t, broken, f.Run(t.Context()))
		ctx, cancel := context.WithCancelCause(t.Context())
		f = Feed{Service: &ledger{held: func() { cancel(broken) }}, Interval: time.Second}
		require.Equal(t, broken, f.Run(ctx))
	})
}

// A stream that cannot be opened is tried again soon, and less and less often.
func TestFeedOpensAStreamAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var opened []time.Duration
		s := &streaming{ledger: &ledger{}}
		s.breaks = func(int) error { return nil }
		f := Feed{Service: opening{s, func() {
			opened = append(opened, time.Since(start))
			if len(opened) == 7 {
				s.events = 1
			}
		}}, Interval: 4 * time.Second, Each: func(payments.Event) (bool, error) { return true, nil }}
		f.random = func() float64 { return 1 }
		require.NoError(t, f.Run(t.Context()))
		expected := time.Duration(0)
		for i, pause := range []int{500, 1000, 2000, 4000, 8000, 8000} {
			expected += time.Duration(pause) * time.Millisecond
			require.Equal(t, expected, opened[i+1])
		}
	})
}

// opening calls a function when a stream is opened.
type opening struct {
	*streaming
	opened func()
}

func (o opening) StreamEvents(ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error) error {
	o.opened()
	if o.events == 0 {
		return &payments.ProblemError{Problem: payments.Problem{Type: string(payments.KindUnreachable)}}
	}
	return o.streaming.StreamEvents(ctx, filter, each)
}
