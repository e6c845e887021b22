package follow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

const changed payments.EventType = "x.changed"

// pass lets time pass in the bubble of a test.
func pass(d time.Duration) { <-time.After(d) }

// world is a fake service of subjects whose statuses change. A test chooses which parts of the contract it has.
type world struct {
	feed, stream bool
	// perPage is how many subjects a page of the list has.
	perPage int
	// fails returns the error of a request. Nil means success.
	fails func(what string) error

	mu       sync.Mutex
	ids      []string
	statuses map[string]string
	since    map[string]time.Time
	log      []payments.Event
	epoch    int // cursors of another epoch are gone
	asked    map[string]int
	news     chan struct{}
}

func newWorld(ids ...string) *world {
	w := &world{
		feed: true, perPage: 3, statuses: map[string]string{}, since: map[string]time.Time{}, asked: map[string]int{},
		news: make(chan struct{}),
	}
	for _, id := range ids {
		w.set(id, "new")
	}
	return w
}

// set gives a subject a status.
func (w *world) set(id, status string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	event := payments.Event{
		ID: w.cursor(len(w.log) + 1), Type: changed, SubjectID: id, To: &status, OccurredAt: time.Now(),
	}
	if before, ok := w.statuses[id]; ok {
		event.From = &before
	} else {
		w.ids = append(w.ids, id)
	}
	w.statuses[id], w.since[id] = status, event.OccurredAt
	w.log = append(w.log, event)
	close(w.news)
	w.news = make(chan struct{})
}

func (w *world) cursor(n int) string { return fmt.Sprintf("%d-%d", w.epoch, n) }

func (w *world) ask(what string) error {
	w.mu.Lock()
	w.asked[what]++
	w.mu.Unlock()
	if w.fails != nil {
		return w.fails(what)
	}
	return nil
}

// count returns how many requests there were.
func (w *world) count(things ...string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range things {
		n += w.asked[what]
	}
	return n
}

// hold waits until ready returns true, the context ends or the time is over.
func (w *world) hold(ctx context.Context, wait time.Duration, ready func() bool) {
	over := time.After(wait)
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
}

func (w *world) place(after string) (int, error) {
	if after == payments.LatestEvent {
		return len(w.log), nil
	}
	life, n := 0, 0
	if _, err := fmt.Sscanf(after, "%d-%d", &life, &n); err != nil && after != "" {
		return 0, err
	}
	if life != w.epoch {
		return 0, payments.NewProblem(payments.ProblemGone, "gone")
	}
	return n, nil
}

func (w *world) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	if err := w.ask("events"); err != nil {
		return payments.EventPage{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.feed {
		return payments.EventPage{}, payments.NewProblem(payments.ProblemNotFound, "no feed")
	}
	from, err := w.place(filter.After)
	if err != nil {
		return payments.EventPage{}, err
	}
	w.hold(ctx, filter.Wait, func() bool { return from < len(w.log) })
	to := min(len(w.log), from+filter.Limit)
	return payments.EventPage{Data: slices.Clone(w.log[from:to]), Cursor: w.cursor(to)}, ctx.Err()
}

func (w *world) StreamEvents(
	ctx context.Context, filter payments.EventFilter, each func(payments.EventMessage) error,
) error {
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
			_, err = w.place(filter.After) // the epoch may have changed
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

func (w *world) read(_ context.Context, known State) (State, error) {
	id := known.ID
	if err := w.ask("read"); err != nil {
		return State{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.statuses[id] == "" {
		return State{}, payments.NotFound("thing", id)
	}
	return State{ID: id, Status: w.statuses[id], Since: w.since[id]}, nil
}

// list lists the subjects in pages, the newest first.
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
	for ; at >= 0 && len(page) < w.perPage; at-- {
		id := w.ids[at]
		page = append(page, State{ID: id, Status: w.statuses[id], Since: w.since[id], Partial: at%2 == 0})
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
		IsMember: func(context.Context, payments.Event) (bool, error) { return true, w.ask("member") },
	}
}

// histories returns the statuses that each subject has had, in order.
func (w *world) histories() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	paths := map[string][]string{}
	for _, e := range w.log {
		paths[e.SubjectID] = append(paths[e.SubjectID], *e.To)
	}
	return paths
}

// reach is a Goal.CanReach: every status can reach any other, but "dead" is final.
func reach(status, _ string) bool { return status != "dead" }

// recorder collects the reports of an engine, and checks that each change begins where the last one ended.
type recorder struct {
	t     require.TestingT
	mu    sync.Mutex
	paths map[string][]string
	then  func(Change)
}

func (c *recorder) each(change Change) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := c.paths[change.ID]
	if change.From == nil {
		require.Empty(c.t, path, "only the first change of a subject has no previous status")
	} else {
		require.NotEmpty(c.t, path)
		require.Equal(c.t, path[len(path)-1], *change.From)
	}
	c.paths[change.ID] = append(path, change.Status)
	if c.then != nil {
		c.then(change)
	}
	return nil
}

// follow runs an engine over the world while the script runs, and returns its reports.
func (w *world) follow(t *testing.T, e *Engine, script func()) (*recorder, error) {
	t.Helper()
	e.Service, e.Subjects = w, w.subjects()
	return follow(t, e, script)
}

// follow runs an engine while a script runs, and returns its reports.
func follow(t *testing.T, e *Engine, script func()) (*recorder, error) {
	t.Helper()
	collected := &recorder{t: t, paths: map[string][]string{}}
	if e.Each == nil {
		e.Each = collected.each
	}
	if e.Note == nil {
		e.Note = func(string) {}
	}
	e.Interval = 5 * time.Second
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	script()
	synctest.Wait()
	cancel()
	return collected, <-done
}
