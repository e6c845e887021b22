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
	// mostChecked is how many subjects are read in each beat while the feed works.
	mostChecked = 4
	// feedDelay is how much later than a read the feed may tell of a change.
	feedDelay = 5 * time.Second
	// feedPatience is how long the first read waits for the cursor of the feed. Statuses read before it are read twice.
	feedPatience = time.Second
)

// readStatuses reads all statuses, and again at each interval while the feed does not work. While it works, a few are
// read in each beat.
func (e *Engine) readStatuses(ctx context.Context) error {
	select {
	case <-e.feed.tried:
	case <-time.After(feedPatience):
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

// check reads some of the statuses while the feed works. It shows that the service is not frozen, and finds changes
// that the feed does not tell.
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

// nextToCheck returns some of the subjects that are followed, in turn.
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

// A reading is a state as it was read when records statuses had been recorded.
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

// readOne reads one subject. With All, or once its status was reported, one that is not found is left out: the others
// are followed on.
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

// readAll reads and records the present states of subjects. With All it reads the whole list, and then the ids that the
// list did not have. Many ids are looked for in the list, unless the list is much longer.
func (e *Engine) readAll(ctx context.Context, ids []string) error {
	missing := map[string]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	var partial []State // is read when the whole list has shown what it tells
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
		if _, isAnswer := errors.AsType[*payments.ProblemError](err); err != nil && !errors.Is(err, errEnough) && (e.All || !isAnswer) {
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

// isEnough reports whether a state of a list has all that is reported of it, or is known.
func (e *Engine) isEnough(state State) bool {
	known := e.find(state.ID)
	return !state.Partial || known.goalStatus != Waiting || known.reported && known.Status == state.Status ||
		e.TakesPartial && e.Goal.Judge(state.Status) != Failed
}

// errEnough ends a list that has shown what was looked for.
var errEnough = errors.New("follow: enough")

// list reads the pages of the list, however long the service is in trouble.
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

// recordAll records those readings that tell something new.
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
