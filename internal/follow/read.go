package follow

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// batchSize is how many subjects are read one by one before they are recorded: few enough for the first to be reported
	// soon, and enough for parallel requests.
	batchSize = 50
	// worthListing is how many subjects make it worth looking for them in the list.
	worthListing = 100
	// perListed is how many of them a page of the list has to have on average to be cheaper than to read each.
	perListed = 20
)

// read reads and records the present states of subjects: with all, those of the whole list; then those of ids that the
// list did not have. Many ids are looked for in the list first, since one page has up to a hundred. It returns the
// subjects that cannot be read for the moment.
func (e *Engine) read(ctx context.Context, all bool, ids []string) (unread []string, err error) {
	missing := make(map[string]bool, len(ids))
	for _, id := range ids {
		missing[id] = true
	}
	take := func(states []State) error {
		failed, err := e.take(ctx, states)
		unread = append(unread, failed...)
		return err
	}
	if pages := len(ids) / perListed; all || len(ids) >= worthListing && e.Subjects.List != nil {
		for page, err := range e.list(ctx) {
			if err != nil && !all && ctx.Err() == nil {
				break // a client that may not list may still read
			}
			if err != nil {
				return nil, err
			}
			if !all {
				page = slices.DeleteFunc(page, func(state State) bool { return !missing[state.ID] })
			}
			for _, state := range page {
				delete(missing, state.ID)
			}
			if err := take(page); err != nil {
				return nil, err
			}
			if pages--; !all && (pages == 0 || len(missing) == 0) {
				break
			}
		}
	}
	if all {
		e.tracker.setListed()
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !missing[id] })
	for batch := range slices.Chunk(ids, batchSize) {
		states := make([]State, len(batch))
		for i, id := range batch {
			states[i] = State{ID: id, Partial: true}
		}
		if err := take(states); err != nil {
			return nil, err
		}
	}
	if !e.loaded && e.Loaded != nil {
		e.Loaded()
	}
	e.loaded = true
	return unread, nil
}

// list iterates over the pages of the list, however long the service is in trouble. An error is the last element.
func (e *Engine) list(ctx context.Context) iter.Seq2[[]State, error] {
	return func(yield func([]State, error) bool) {
		var guard payments.PageGuard
		for cursor := ""; ; {
			var page []State
			var next string
			err := e.caller.call(ctx, func() (err error) {
				page, next, err = e.Subjects.List(ctx, cursor)
				return err
			})
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

// take records states, of which it reads the partial ones first, in parallel, unless they are known. It returns the
// subjects of which nothing can be read for the moment.
func (e *Engine) take(ctx context.Context, states []State) (unread []string, err error) {
	reading, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	places := make(chan struct{}, e.Parallel)
	failures := make([]error, len(states))
	var reads sync.WaitGroup
	for i := range states {
		known, _ := e.tracker.find(states[i].ID)
		isKnown := known.isDecided() || known.reported && known.status == states[i].Status
		if !states[i].Partial || isKnown || reading.Err() != nil {
			continue
		}
		places <- struct{}{}
		reads.Go(func() {
			defer func() { <-places }()
			err := wait.CatchPanic(func() (err error) {
				failures[i], err = e.complete(reading, &states[i])
				return err
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	reads.Wait()
	if err := context.Cause(reading); err != nil {
		return nil, err
	}
	for i, state := range states {
		switch {
		case state.gone:
		case state.Status != "":
			if err := e.tracker.record(state); err != nil {
				return nil, err
			}
		default:
			unread = append(unread, state.ID)
			if failures[i] != nil && !e.told {
				e.told = true
				e.Note(fmt.Sprintf("%s cannot be read for the moment: %v.", state.ID, failures[i]))
			}
		}
	}
	return unread, nil
}

// complete reads a state. It leaves the state as it is if the subject cannot be read for the moment, with the reason
// as failure, and sets its gone if the subject has been deleted.
func (e *Engine) complete(ctx context.Context, state *State) (failure, err error) {
	var read State
	err = e.caller.call(ctx, func() (err error) {
		if read, err = e.Subjects.Read(ctx, state.ID); isServerError(err) || payments.IsKind(err, payments.KindUnusable) {
			failure = err // it may concern this subject alone
			return nil
		}
		return err
	})
	known, _ := e.tracker.find(state.ID)
	switch {
	case isNotFound(err) && (known.reported || state.Status != ""): // it was there, or the list has it
		state.gone, err = e.tracker.notFound(state.ID)
		if state.gone && e.Gone != nil {
			e.Gone(state.ID)
		}
	case err == nil && failure == nil:
		read.Record = Newest(read.Record, state.Record)
		*state = read
	}
	return failure, err
}
