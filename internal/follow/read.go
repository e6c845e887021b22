package follow

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// batchSize is how many subjects are read one by one before readStates hands them over: few enough for the first to be
	// reported soon, and enough for parallel requests.
	batchSize = 50
	// worthListing is how many subjects make it worth looking for them in the list.
	worthListing = 100
	// perListed is how many of them a page of the list has to have on average to be cheaper than to read each.
	perListed = 20
)

// readStates reads the present states of subjects: with all, those of the whole list; then those of ids that the list
// did not have. Many ids are looked for in the list first, since one page has up to a hundred. take gets the states
// in the order in which they were read, those that could not be completed for the moment without a status.
func (e *Engine) readStates(
	ctx context.Context, ids []string, all bool, take func(context.Context, []State) error,
) error {
	h := holder{engine: e, take: take, last: time.Now()}
	missing := make(map[string]bool, len(ids))
	for _, id := range ids {
		missing[id] = true
	}
	pages := len(ids) / perListed
	if all && !e.loaded && e.Subjects.First != nil {
		if page, err := e.Subjects.First(ctx); err == nil { // else the list, which has them too, reports what is wrong
			if err := h.add(ctx, page); err != nil {
				return err
			}
		}
	}
	if all || len(ids) >= worthListing && e.Subjects.List != nil {
		for page, err := range e.list(ctx) {
			if err != nil && !all && ctx.Err() == nil {
				break // a client that may not list may still read
			}
			if err != nil {
				return err
			}
			if !all {
				page = slices.DeleteFunc(page, func(state State) bool { return !missing[state.ID] })
			}
			for _, state := range page {
				delete(missing, state.ID)
			}
			if err := h.add(ctx, page); err != nil {
				return err
			}
			if pages--; !all && (pages == 0 || len(missing) == 0) {
				break
			}
		}
	}
	if all {
		if err := h.flush(ctx); err != nil {
			return err
		}
		e.tracker.setListed()
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !missing[id] })
	for batch := range slices.Chunk(ids, batchSize) {
		states := make([]State, 0, len(batch))
		for _, id := range batch {
			states = append(states, State{ID: id, Partial: true})
		}
		if err := h.add(ctx, states); err != nil {
			return err
		}
	}
	if err := h.flush(ctx); err != nil {
		return err
	}
	if !e.loaded && e.Loaded != nil {
		e.Loaded()
	}
	e.loaded = true
	return nil
}

// takeEvery is how long states that were read are held at most before the next ones are awaited: long enough that the
// requests for the feed are few compared with those for the list, and short enough for a screen.
const takeEvery = 2 * time.Second

// A holder hands states over that were read. It holds them until they are as many as it has handed over so far, or for
// takeEvery: a follower of the feed sends a request each time, and one for each page would be half of all requests.
type holder struct {
	engine *Engine
	take   func(context.Context, []State) error
	held   []State
	taken  int       // how many states take got
	last   time.Time // when it got some last
}

// add completes states and holds them, or hands them over with those that are held.
func (h *holder) add(ctx context.Context, states []State) error {
	e := h.engine
	if err := e.complete(ctx, states); err != nil {
		return err
	}
	h.held = append(h.held, states...)
	if !e.loaded && e.Progress != nil {
		e.Progress(h.taken + len(h.held))
	}
	tooMany := e.Most > 0 && h.taken+len(h.held) > e.Most // which ends the watch when they are handed over
	if len(h.held) < h.taken && time.Since(h.last) < takeEvery && !tooMany {
		return nil
	}
	return h.flush(ctx)
}

// flush hands over the states that are held.
func (h *holder) flush(ctx context.Context) error {
	if len(h.held) == 0 {
		return nil
	}
	err := h.take(ctx, h.held)
	h.taken += len(h.held)
	h.held, h.last = nil, time.Now()
	return err
}

// list iterates over the pages of the list, however long the service is in trouble. An error is the last element.
func (e *Engine) list(ctx context.Context) iter.Seq2[[]State, error] {
	return func(yield func([]State, error) bool) {
		var guard payments.PageGuard
		for cursor := ""; ; {
			var page []State
			var next string
			err := e.health.call(ctx, func() (err error) {
				page, next, err = e.Subjects.List(ctx, cursor)
				return err
			})
			if err != nil && ctx.Err() == nil && e.health.temporary(err) {
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) || next == "" {
				return
			}
			if err := guard.Step(len(page), next); err != nil {
				yield(nil, err)
				return
			}
			cursor = next
		}
	}
}

// complete reads those states that are partial and news, in parallel.
func (e *Engine) complete(ctx context.Context, states []State) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	partial := make(chan *State)
	var workers sync.WaitGroup
	for range min(e.Parallel, len(states)) {
		workers.Go(func() {
			for state := range partial {
				if err := wait.CatchPanic(func() error { return e.read(ctx, state) }); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range states {
		known, _ := e.tracker.find(states[i].ID)
		isNews := !known.isDecided() && !(known.reported && known.status == states[i].Status)
		if states[i].Partial && isNews && ctx.Err() == nil {
			partial <- &states[i]
		}
	}
	close(partial)
	workers.Wait()
	return context.Cause(ctx)
}

// read completes a state. It leaves the state as it is if the subject cannot be read for the moment, and sets its
// gone if the subject has been deleted.
func (e *Engine) read(ctx context.Context, state *State) error {
	var read State
	err := e.health.call(ctx, func() (err error) {
		read, err = e.Subjects.Read(ctx, state.ID)
		return err
	})
	known, _ := e.tracker.find(state.ID)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		read.Record = Newest(read.Record, state.Record)
		*state = read
		return nil
	case e.health.temporary(err):
		return nil
	case isNotFound(err) && e.All && !slices.Contains(e.IDs, state.ID): // the list had it
		e.tracker.remove(state.ID)
		state.gone = true
	case isNotFound(err) && known.reported:
		state.gone, err = e.tracker.notFound(state.ID)
		if err != nil || !state.gone {
			return err
		}
	default:
		return err
	}
	if e.Gone != nil {
		e.Gone(state.ID)
	}
	return nil
}
