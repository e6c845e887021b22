package follow

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// batchSize is how many subjects are read one by one before they are recorded. More subjects are read from the
	// list.
	batchSize = 50
	// longestBeat is the longest time between two requests. A frozen service is noticed slowAfter later.
	longestBeat = 5 * time.Second
	// mostChecked is how many subjects are read at a time while the feed works.
	mostChecked = 4
	// feedDelay is how much later than a read the feed may report a change.
	feedDelay = 5 * time.Second
	// firstFeedWait is how long the first read waits for the cursor of the feed. Statuses read before it are read
	// twice.
	firstFeedWait = time.Second
)

// readStatuses reads all statuses, repeatedly while the feed does not work. While it works, it reads a few at a time.
func (e *Engine) readStatuses(ctx context.Context) error {
	select {
	case <-e.feed.tried:
	case <-time.After(firstFeedWait):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for isFirst := true; ; isFirst = false {
		next := time.Now().Add(e.Interval)
		e.feed.setLost(false)
		if err := e.readAll(ctx, e.unfinished()); err != nil {
			return err
		}
		e.load()
		e.tellPolling(isFirst)
		for {
			if e.isFinished() {
				return errStop
			}
			if err := wait.Sleep(ctx, min(e.Interval, longestBeat)); err != nil {
				return err
			}
			if e.feed.mustReadAll() {
				break
			}
			if err := e.check(ctx); err != nil {
				return err
			}
		}
		if err := wait.Sleep(ctx, time.Until(next)); err != nil {
			return err
		}
	}
}

// load calls Loaded once.
func (e *Engine) load() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Loaded != nil {
		e.Loaded()
		e.Loaded = nil
	}
}

// check reads some of the statuses while the feed works. It notices a frozen service, and changes that the feed does
// not report.
func (e *Engine) check(ctx context.Context) error {
	known := e.nextToCheck()
	if len(known) == 0 {
		return e.caller.call(ctx, func() error {
			_, _, err := e.Subjects.List(ctx, "")
			return err
		})
	}
	for first := true; ; first = false {
		missed, err := e.readChanged(ctx, known)
		switch {
		case err != nil || len(missed) == 0:
			return err
		case e.feed.mustReadAll():
			return nil
		case !first:
			e.setFeed(errMisses)
			return e.recordAll(missed)
		}
		known = known[:0]
		for _, m := range missed {
			known = append(known, m.State)
		}
		if err := wait.Sleep(ctx, feedDelay); err != nil {
			return err
		}
	}
}

// nextToCheck returns the next few subjects that are followed.
func (e *Engine) nextToCheck() (known []State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := 0; i < len(e.order) && len(known) < mostChecked; i++ {
		e.checked = (e.checked + 1) % len(e.order)
		if s := e.order[e.checked]; s.goalStatus == Waiting && s.reported {
			known = append(known, State{ID: s.ID, Status: s.Status})
		}
	}
	return known
}

// A reading is a state, with Engine.records before it was read.
type reading struct {
	State
	records int
}

// readChanged reads subjects one by one, and returns those that have a new status.
func (e *Engine) readChanged(ctx context.Context, known []State) ([]reading, error) {
	readings := make([]reading, len(known))
	err := wait.Each(ctx, len(known), func(ctx context.Context, i int) error {
		return e.readOne(ctx, &readings[i], known[i])
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(readings, func(r reading) bool { return r.Status == "" || !e.isNews(r) }), err
}

// readOne reads one subject. With All, or after its first report, a subject that is not found is left out.
func (e *Engine) readOne(ctx context.Context, r *reading, known State) error {
	return e.caller.call(ctx, func() error {
		records := e.recorded()
		read, err := e.Subjects.Read(ctx, known)
		if statusOf(err) == 404 && (e.All || e.find(known.ID).reported) {
			return nil
		}
		if err == nil {
			*r = reading{read, records}
		}
		return err
	})
}

// readAll reads and records the current states of subjects. With All it reads the whole list, and then the ids that are
// not in it. It also looks for many ids in the list, unless the list is much longer.
func (e *Engine) readAll(ctx context.Context, ids []string) error {
	missing := map[string]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	var partial []State // read after the whole list
	if e.All || e.Subjects.List != nil && len(ids) > batchSize {
		most := len(ids) / 2 // pages
		err := e.list(ctx, func(page []State, records int) error {
			if !e.All {
				page = slices.DeleteFunc(page, func(s State) bool { return !missing[s.ID] })
			}
			var whole []reading
			for _, state := range page {
				delete(missing, state.ID)
				if e.isEnough(state) {
					whole = append(whole, reading{state, records})
				} else {
					partial = append(partial, state)
				}
			}
			most--
			err := e.recordAll(whole)
			if err == nil && !e.All && (len(missing) == 0 || most == 0) {
				err = errEnough
			}
			return err
		})
		if _, isAnswer := errors.AsType[*payments.ProblemError](err); err != nil && !errors.Is(err, errEnough) &&
			(e.All || !isAnswer) {
			return err
		}
	}
	for _, id := range ids {
		if missing[id] {
			partial = append(partial, State{ID: id, Partial: true})
		}
	}
	for batch := range slices.Chunk(partial, batchSize) {
		readings := make([]reading, len(batch))
		if err := wait.Each(ctx, len(batch), func(ctx context.Context, i int) error {
			return e.readOne(ctx, &readings[i], batch[i])
		}); err != nil {
			return err
		}
		if err := e.recordAll(readings); err != nil {
			return err
		}
	}
	return nil
}

// isEnough reports whether a state of a list needs no read: it is complete or known.
func (e *Engine) isEnough(state State) bool {
	known := e.find(state.ID)
	return !state.Partial || known.goalStatus != Waiting || known.reported && known.Status == state.Status ||
		e.TakesPartial && e.Goal.Judge(state.Status) != Failed
}

// errEnough ends a list that has shown all ids.
var errEnough = errors.New("follow: enough")

// list reads the pages of the list.
func (e *Engine) list(ctx context.Context, each func(page []State, records int) error) error {
	var guard payments.PageGuard
	for cursor := ""; ; {
		var page []State
		var next string
		var records int
		err := e.caller.call(ctx, func() (err error) {
			records = e.recorded()
			page, next, err = e.Subjects.List(ctx, cursor)
			return err
		})
		ids := make([]string, len(page))
		for i, state := range page {
			ids[i] = state.ID
		}
		if err == nil {
			err = each(page, records)
		}
		if err != nil || next == "" {
			return err
		}
		if err := guard.Step(next, ids); err != nil {
			return err
		}
		cursor = next
	}
}

// recordAll records the readings with news.
func (e *Engine) recordAll(readings []reading) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range readings {
		if r.Status != "" && e.isNews(r) {
			if err := e.report(r.State); err != nil {
				return err
			}
		}
	}
	return nil
}
