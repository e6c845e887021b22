package follow

import (
	"cmp"
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// batchSize is how many subjects are read one by one before they are recorded: few enough for the first to be reported
	// soon, and enough for parallel requests.
	batchSize = 50
	// perListed is how many of the subjects a page of the list has to have on average to be cheaper than to read each.
	perListed = 20
	// worthListing is how many pages of the list are worth looking at before each subject is read.
	worthListing = 5
)

// read reads and records the present states of subjects: with All, those of the whole list; then those of ids that the
// list did not have. Many ids are looked for in the list first, since one page has up to a hundred.
func (e *Engine) read(ctx context.Context, ids []string) error {
	missing := make(map[string]bool, len(ids))
	for _, id := range ids {
		missing[id] = true
	}
	if pages := len(ids) / perListed; e.All || pages >= worthListing && e.Subjects.List != nil {
		var failed error // of taking
		err := e.list(ctx, func(page []State) (more bool) {
			if !e.All {
				page = slices.DeleteFunc(page, func(state State) bool { return !missing[state.ID] })
			}
			for _, state := range page {
				delete(missing, state.ID)
			}
			failed = e.take(ctx, page)
			pages--
			return failed == nil && (e.All || pages > 0 && len(missing) > 0)
		})
		if err = cmp.Or(failed, err); err != nil && (e.All || failed != nil || ctx.Err() != nil) {
			return err // else a client that may not list may still read
		}
		e.mu.Lock()
		e.unlisted = false
		e.mu.Unlock()
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !missing[id] })
	for batch := range slices.Chunk(ids, batchSize) {
		states := make([]State, len(batch))
		for i, id := range batch {
			states[i] = State{ID: id, Partial: true}
		}
		if err := e.take(ctx, states); err != nil {
			return err
		}
	}
	if !e.loaded && e.Loaded != nil {
		e.Loaded()
	}
	e.loaded = true
	return nil
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

// take records states, of which it reads the partial ones first, several at once, unless they are known.
func (e *Engine) take(ctx context.Context, states []State) error {
	err := wait.Each(ctx, len(states), func(ctx context.Context, i int) error {
		known, _ := e.find(states[i].ID)
		isKnown := known.verdict != Waiting || known.reported && known.Status == states[i].Status
		if !states[i].Partial || isKnown || e.TakesPartial && states[i].Status != "" {
			return nil
		}
		return wait.CatchPanic(func() error {
			return e.caller.call(ctx, func() (err error) {
				read, err := e.Subjects.Read(ctx, states[i])
				if e.All && statusOf(err) == 404 { // the others are followed on
					read, err = State{}, nil
				}
				if err == nil {
					states[i] = read
				}
				return err
			})
		})
	})
	for i := 0; err == nil && i < len(states); i++ {
		if states[i].Status != "" {
			err = e.record(states[i])
		}
	}
	return err
}
