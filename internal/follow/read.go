package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// parallel is the most requests at the same time: it reaches the default rate at usual latencies.
	parallel = 16
	// batchSize is how many subjects are read one by one before they are recorded: few enough for the first to be reported
	// soon, and enough for parallel requests.
	batchSize = 50
	// perListed is how many of the subjects a page of the list has to have on average to be cheaper than to read each.
	perListed = 20
	// worthListing is how many pages of the list are worth looking at before each subject is read.
	worthListing = 5
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
	if pages := len(ids) / perListed; all || pages >= worthListing && e.Subjects.List != nil {
		var failed error // of taking
		err := e.list(ctx, func(page []State) (more bool) {
			if !all {
				page = slices.DeleteFunc(page, func(state State) bool { return !missing[state.ID] })
			}
			for _, state := range page {
				delete(missing, state.ID)
			}
			failed = take(page)
			pages--
			return failed == nil && (all || pages > 0 && len(missing) > 0)
		})
		if err = cmp.Or(failed, err); err != nil && (all || failed != nil || ctx.Err() != nil) {
			return nil, err // else a client that may not list may still read
		}
	}
	if all {
		e.mu.Lock()
		e.unlisted = false
		e.mu.Unlock()
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

// list reads the pages of the list, however long the service is in trouble, until each wants no more.
func (e *Engine) list(ctx context.Context, each func([]State) (more bool)) error {
	var guard payments.PageGuard
	for cursor := ""; ; {
		var page []State
		var next string
		err := e.caller.call(ctx, func() (err error) {
			page, next, err = e.Subjects.List(ctx, cursor)
			return err
		})
		if err != nil || !each(page) || next == "" {
			return err
		}
		if err := guard.Step(len(page), next); err != nil {
			return err
		}
		cursor = next
	}
}

// take records states, of which it reads the partial ones first, in parallel, unless they are known. It returns the
// subjects of which nothing can be read for the moment.
func (e *Engine) take(ctx context.Context, states []State) (unread []string, err error) {
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(parallel)
	for i := range states {
		known, _ := e.find(states[i].ID)
		isKnown := known.verdict != Waiting || known.reported && known.status == states[i].Status
		if states[i].Partial && !isKnown {
			reads.Go(func() error { return wait.CatchPanic(func() error { return e.complete(reading, &states[i]) }) })
		}
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	for _, state := range states {
		switch {
		case state.gone:
		case state.Status != "":
			if err := e.record(state); err != nil {
				return nil, err
			}
		default:
			unread = append(unread, state.ID)
			if state.failure != nil && !e.told {
				e.told = true
				e.Note(fmt.Sprintf("%s cannot be read for the moment: %v.", state.ID, state.failure))
			}
		}
	}
	return unread, nil
}

// complete reads a state. It leaves the state as it is if the subject cannot be read for the moment, and sets its gone
// if the subject has been deleted.
func (e *Engine) complete(ctx context.Context, state *State) error {
	var read State
	err := e.caller.call(ctx, func() (err error) {
		if read, err = e.Subjects.Read(ctx, *state); isServerError(err) || payments.IsKind(err, payments.KindUnusable) {
			state.failure = err // it may concern this subject alone
			return nil
		}
		return err
	})
	known, _ := e.find(state.ID)
	isMissing := statusOf(err) == 404 || statusOf(err) == 410
	switch {
	case isMissing && (known.reported || state.Status != ""): // it was there, or the list has it
		state.gone, err = e.notFound(state.ID)
		if state.gone && e.Gone != nil {
			e.Gone(state.ID)
		}
	case err == nil && state.failure == nil:
		*state = read
	}
	return err
}
