package watch

import (
	"context"
	"errors"
	"fmt"
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

const changed payments.EventType = "x.changed"

// pass lets time go by, in the bubble of a test.
func pass(d time.Duration) { <-time.After(d) }

// world is a service of subjects whose statuses change, with what of the contract a test lets it have.
type world struct {
	feed, stream, holds, tags bool
	// fails says what is the matter when it is asked for something; nil is nothing.
	fails func(what string) error

	mu       sync.Mutex
	ids      []string
	statuses map[string]string
	versions map[string]int
	log      []payments.Event
	life     int // a cursor of another life is gone
	asked    map[string]int
	holding  int
	most     int // of answers held at once
	news     chan struct{}
}

func newWorld(ids ...string) *world {
	w := &world{feed: true, tags: true, statuses: map[string]string{}, versions: map[string]int{}, asked: map[string]int{}, news: make(chan struct{})}
	for _, id := range ids {
		w.set(id, "new")
	}
	return w
}

// set gives a subject a status.
func (w *world) set(id, status string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	event := payments.Event{ID: w.cursor(len(w.log) + 1), Type: changed, SubjectID: id, To: &status, OccurredAt: time.Now()}
	if before, ok := w.statuses[id]; ok {
		event.From = &before
	} else {
		w.ids = append(w.ids, id)
	}
	w.statuses[id] = status
	w.versions[id]++
	w.log = append(w.log, event)
	close(w.news)
	w.news = make(chan struct{})
}

func (w *world) cursor(n int) string { return fmt.Sprintf("%d-%d", w.life, n) }

func (w *world) ask(what string) error {
	w.mu.Lock()
	w.asked[what]++
	w.mu.Unlock()
	if w.fails != nil {
		return w.fails(what)
	}
	return nil
}

// count is how often the world was asked for things.
func (w *world) count(things ...string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range things {
		n += w.asked[what]
	}
	return n
}

// hold waits until ready says so, or the time is over.
func (w *world) hold(ctx context.Context, wait time.Duration, ready func() bool) {
	over := time.After(wait)
	w.holding++
	w.most = max(w.most, w.holding)
	for !ready() && ctx.Err() == nil {
		news := w.news
		w.mu.Unlock()
		select {
		case <-news:
			w.mu.Lock()
			continue
		case <-ctx.Done():
		case <-over:
		}
		w.mu.Lock()
		break
	}
	w.holding--
}

func (w *world) place(after string) (int, error) {
	if after == payments.LatestEvent {
		return len(w.log), nil
	}
	life, n := 0, 0
	if _, err := fmt.Sscanf(after, "%d-%d", &life, &n); err != nil && after != "" {
		return 0, err
	}
	if life != w.life {
		return 0, payments.Refuse(payments.KindGone, "gone")
	}
	return n, nil
}

func (w *world) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	if !w.feed {
		return payments.EventPage{}, payments.Refuse(payments.KindNotFound, "no feed")
	}
	if err := w.ask("events"); err != nil {
		return payments.EventPage{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	from, err := w.place(filter.After)
	if err != nil {
		return payments.EventPage{}, err
	}
	w.hold(ctx, filter.Wait, func() bool { return from < len(w.log) })
	to := min(len(w.log), from+filter.Limit)
	return payments.EventPage{Data: slices.Clone(w.log[from:to]), Cursor: w.cursor(to)}, ctx.Err()
}

func (w *world) StreamEvents(ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error) error {
	if !w.stream {
		return errors.ErrUnsupported
	}
	if err := w.ask("stream"); err != nil {
		return err
	}
	for {
		w.mu.Lock()
		from, err := w.place(filter.After)
		if err == nil {
			w.hold(ctx, time.Hour, func() bool { return from < len(w.log) })
		}
		if err == nil {
			_, err = w.place(filter.After) // the world may have another life by now
		}
		events := slices.Clone(w.log[min(from, len(w.log)):])
		w.mu.Unlock()
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		for i := range events {
			if err := w.ask("message"); err != nil {
				return err
			}
			if err := each(payments.EventMessage{Cursor: events[i].ID, Event: &events[i]}); err != nil {
				return err
			}
			filter.After = events[i].ID
		}
	}
}

func (w *world) read(ctx context.Context, id string, since payments.Condition) (payments.Reading[State], error) {
	if err := w.ask("read"); err != nil {
		return payments.Reading[State]{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	tag := func() string {
		if !w.tags {
			return ""
		}
		return strconv.Itoa(w.versions[id])
	}
	if w.statuses[id] == "" {
		return payments.Reading[State]{}, payments.NotFound("thing", id)
	}
	if w.holds && since.ETag != "" && since.Wait > 0 {
		w.hold(ctx, since.Wait, func() bool { return tag() != since.ETag })
	}
	if since.ETag != "" && tag() == since.ETag {
		return payments.Reading[State]{ETag: tag(), NotModified: true}, ctx.Err()
	}
	return payments.Reading[State]{Value: State{ID: id, Status: w.statuses[id], Since: time.Now()}, ETag: tag()}, ctx.Err()
}

// list lists the subjects in pages of three, the newest first.
func (w *world) list(_ context.Context, cursor string) ([]State, string, error) {
	if err := w.ask("list"); err != nil {
		return nil, "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	end := len(w.ids)
	if cursor != "" {
		end, _ = strconv.Atoi(cursor)
	}
	var page []State
	at := end - 1
	for ; at >= 0 && len(page) < 3; at-- {
		page = append(page, State{ID: w.ids[at], Status: w.statuses[w.ids[at]], Partial: at%2 == 0})
	}
	if at < 0 {
		return page, "", nil
	}
	return page, strconv.Itoa(at + 1), nil
}

func (w *world) subjects() Subjects {
	return Subjects{
		Events: []payments.EventType{changed},
		Of:     func(e payments.Event) State { return State{ID: e.SubjectID, Status: *e.To, Since: e.OccurredAt} },
		Read:   w.read, List: w.list,
		Belongs: func(e payments.Event) Belonging {
			if e.From == nil {
				return Unproven
			}
			return Member
		},
	}
}

// histories are the statuses that each subject had, in order, from how it was at a place in the log.
func (w *world) histories(from int) map[string][]string {
	paths := map[string][]string{}
	for i, e := range w.log {
		if i < from {
			paths[e.SubjectID] = nil
		}
		paths[e.SubjectID] = append(paths[e.SubjectID], *e.To)
	}
	return paths
}

// reach lets the statuses lead to one another by their numbers; "dead" leads nowhere.
func reach(status, _ string) bool { return status != "dead" }

// told collects what an engine tells, and checks that each change begins where the last one ended.
type told struct {
	t     require.TestingT
	mu    sync.Mutex
	paths map[string][]string
	count int
	then  func(Change)
}

func (c *told) each(change Change) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := c.paths[change.ID]
	if change.From == nil {
		require.Empty(c.t, path, "the first of a subject has no status before")
	} else {
		require.NotEmpty(c.t, path)
		require.Equal(c.t, path[len(path)-1], *change.From)
	}
	c.paths[change.ID] = append(path, change.Status)
	c.count++
	if c.then != nil {
		c.then(change)
	}
	return nil
}

// With a feed, whatever fails and however often, the changes that are told are those that happened, in order, each once.
func TestEngineTellsWhatHappened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		seed := rapid.Uint64().Draw(r, "seed")
		all := rapid.Bool().Draw(r, "all")
		stream := rapid.Bool().Draw(r, "stream")
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
			w.stream, w.holds = stream, true
			calm := false
			w.fails = func(what string) error {
				if chance(3) {
					pass(time.Second) // an answer takes its time, and things happen meanwhile
				}
				mu.Lock()
				quiet := calm
				mu.Unlock()
				switch {
				case quiet || !chance(4):
					return nil
				case chance(3) && what != "message":
					return &payments.Refusal{Problem: payments.Problem{Type: string(payments.KindUnreachable)}}
				case chance(3) && what != "message":
					limited := payments.Refuse(payments.KindRateLimited, "")
					limited.RetryAfter = 40 * time.Second
					return limited
				}
				return &payments.Refusal{Problem: payments.Problem{Type: string(payments.KindUnusable)}} // cut off
			}
			begun := 0
			collected := &told{t: t, paths: map[string][]string{}}
			ctx, cancel := context.WithCancel(t.Context())
			e := Engine{Service: w, Subjects: w.subjects(), Interval: 5 * time.Second, Each: collected.each, All: all}
			if !all {
				e.IDs = ids
			}
			e.Service = after{w, func() { begun = len(w.log) }}
			done := make(chan error, 1)
			go func() {
				_, err := e.Run(ctx)
				done <- err
			}()
			script := rand.New(rand.NewPCG(seed, 2))
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
			cancel()
			require.ErrorIs(t, <-done, context.Canceled)
			require.Equal(t, w.histories(begun), collected.paths)
		})
	})
}

// after calls a function when the end of the feed was found.
type after struct {
	*world
	found func()
}

func (a after) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	page, err := a.world.ListEvents(ctx, filter)
	if filter.After == payments.LatestEvent && err == nil {
		a.found()
	}
	return page, err
}

// follow runs an engine over a world for some time, and returns what it told.
func (w *world) follow(t *testing.T, e Engine, script func()) (*told, Summary, error) {
	t.Helper()
	collected := &told{t: t, paths: map[string][]string{}}
	if e.Each == nil {
		e.Each = collected.each
	}
	e.Service, e.Subjects = w, w.subjects()
	if e.Interval == 0 {
		e.Interval = 5 * time.Second
	}
	ctx, cancel := context.WithCancel(t.Context())
	var summary Summary
	done := make(chan error, 1)
	go func() {
		var err error
		summary, err = e.Run(ctx)
		done <- err
	}()
	script()
	synctest.Wait()
	select {
	case err := <-done:
		cancel()
		return collected, summary, err
	default:
		cancel()
		return collected, summary, <-done
	}
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
			collected, _, err := w.follow(t, e, func() {
				pass(time.Minute)
				w.set("a", "1")
				pass(time.Minute)
				w.mu.Lock()
				w.life++
				w.mu.Unlock()
				w.set("b", "2") // in the gap
				pass(time.Minute)
				w.set("b", "3")
				pass(time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, map[string][]string{"a": {"new", "1"}, "b": {"new", "2", "3"}, "c": {"new"}, "d": {"new"}}, collected.paths)
			require.Len(t, notes, 1)
		})
	}
}

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

func TestEngineEndsAtItsGoal(t *testing.T) {
	t.Parallel()
	for name, feed := range map[string]bool{"feed": true, "no feed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld("a", "b", "c")
				w.feed, w.stream = feed, true
				goal := Goal{Wanted: []string{"ok", "fine"}, CanReach: reach}
				collected, summary, err := w.follow(t, Engine{IDs: []string{"a", "b", "c"}, Goal: goal}, func() {
					for _, step := range [][2]string{{"a", "ok"}, {"a", "more"}, {"b", "dead"}, {"c", "odd"}, {"c", "fine"}} {
						pass(time.Minute)
						w.set(step[0], step[1])
					}
					pass(time.Minute)
				})
				require.NoError(t, err)
				require.Equal(t, map[string][]string{"a": {"new", "ok"}, "b": {"new", "dead"}, "c": {"new", "odd", "fine"}}, collected.paths)
				require.Equal(t, Summary{Reached: []Standing{{"a", "ok", ""}, {"c", "fine", ""}}, Badly: []Standing{{"b", "dead", ""}}, Changes: 4}, summary)

				_, summary, err = w.follow(t, Engine{IDs: []string{"c", "b", "a"}, FailFast: true, Goal: Goal{Wanted: []string{"never"}, CanReach: reach}}, func() {
					pass(time.Minute)
				})
				require.NoError(t, err)
				require.Len(t, summary.Badly, 1)
				require.Len(t, summary.Waiting, 2)
			})
		})
	}
}

func TestEngineRefusesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a")
			w.feed = feed
			_, summary, err := w.follow(t, Engine{IDs: []string{"a", "nobody"}}, func() { pass(time.Second) })
			require.True(t, isKind(err, payments.KindNotFound), "%v", err)
			require.Len(t, summary.Waiting, 2)
		})
	}
}

// One subject that cannot be read does not hold the others up, and is read when it can be.
func TestEngineWithOneThatFails(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a", "b", "c")
			w.feed = feed
			start := time.Now()
			poison := Engine{IDs: []string{"a", "b", "c"}, Trouble: func(error) { t.Error("the service is well") }}
			collected := &told{t: t, paths: map[string][]string{}}
			subjects := w.subjects()
			subjects.Read = func(ctx context.Context, id string, since payments.Condition) (payments.Reading[State], error) {
				if id == "b" && time.Since(start) < 3*time.Minute {
					return payments.Reading[State]{}, payments.Refuse(payments.KindInternal, "")
				}
				return w.read(ctx, id, since)
			}
			poison.Service, poison.Subjects, poison.Interval, poison.Each = w, subjects, 5*time.Second, collected.each
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := poison.Run(ctx)
				ended <- err
			}()
			pass(time.Minute)
			w.set("c", "1")
			pass(time.Minute)
			collected.mu.Lock()
			require.Equal(t, map[string][]string{"a": {"new"}, "c": {"new", "1"}}, collected.paths)
			collected.mu.Unlock()
			require.ErrorIs(t, <-ended, context.DeadlineExceeded)
			require.Equal(t, map[string][]string{"a": {"new"}, "b": {"new"}, "c": {"new", "1"}}, collected.paths)
		})
	}
}

func TestEngineTellsOfAnOutageOnce(t *testing.T) {
	t.Parallel()
	for _, feed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld("a", "b", "c")
			w.feed, w.stream = feed, false
			start := time.Now()
			w.fails = func(string) error {
				if since := time.Since(start); since > 2*time.Minute && since < 12*time.Minute {
					return payments.Refuse(payments.KindUnavailable, "")
				}
				return nil
			}
			var told []string
			e := Engine{IDs: []string{"a", "b", "c"}, Trouble: func(error) { told = append(told, "trouble") }, Recovered: func() { told = append(told, "recovered") }}
			asked := 0
			_, _, err := w.follow(t, e, func() {
				pass(3 * time.Minute)
				asked = w.count("read", "events")
				pass(9 * time.Minute)
				asked = w.count("read", "events") - asked
				pass(5 * time.Minute)
			})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, []string{"trouble", "recovered"}, told)
			require.Less(t, asked, 130, "a service in trouble is not beset")
		})
	}
}

// A panic comes out of Run, whichever goroutine it began in.
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
				e := Engine{Service: w, Subjects: w.subjects(), IDs: []string{"a", "b"}, Interval: time.Second, Each: func(Change) error { panic("boom") }}
				require.Panics(t, func() { _, _ = e.Run(t.Context()) })
			})
		}
	}
}

// While nothing happens, a feed takes one held question at a time, however many are watched; a stream takes none.
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
			_, _, err := w.follow(t, Engine{IDs: ids}, func() {
				pass(time.Minute)
				before = w.count("read", "list", "events", "stream")
				pass(20 * HoldFor)
				before = w.count("read", "list", "events", "stream") - before
			})
			require.ErrorIs(t, err, context.Canceled)
			if stream {
				require.Zero(t, before)
			}
			require.LessOrEqual(t, before, 20)
		})
	}
}
