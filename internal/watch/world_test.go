package watch

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

// pass lets time go by, in the bubble of a test.
func pass(d time.Duration) { <-time.After(d) }

// world is a service of subjects whose statuses change, with what of the contract a test lets it have.
type world struct {
	feed, stream, holds, tags bool
	// perPage is how many subjects a page of the list has.
	perPage int
	// restless gives every answer an entity tag of its own.
	restless bool
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
	w := &world{feed: true, tags: true, perPage: 3, statuses: map[string]string{}, versions: map[string]int{}, asked: map[string]int{}, news: make(chan struct{})}
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
	w.mu.Lock()
	none := !w.feed
	w.mu.Unlock()
	if none {
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
		if w.restless {
			return strconv.Itoa(w.asked["read"])
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
