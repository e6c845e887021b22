package follow

import (
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// batchSize is how many subjects are read one by one before they are recorded: few enough for the first to be reported
// soon, and enough for parallel requests.
const batchSize = 50

// read reads and records the present states of subjects: with All, those of the whole list; then those of ids that the
// list did not have.
func (e *Engine) read(ctx context.Context, ids []string) error {
	listed := map[string]bool{}
	if e.All {
		if err := e.list(ctx, func(page []State) error {
			for _, state := range page {
				listed[state.ID] = true
			}
			return e.take(ctx, page)
		}); err != nil {
			return err
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return listed[id] })
	for batch := range slices.Chunk(ids, batchSize) {
		states := make([]State, len(batch))
		for i, id := range batch {
			states[i] = State{ID: id, Partial: true}
		}
		if err := e.take(ctx, states); err != nil {
			return err
		}
	}
	return nil
}

// list reads the pages of the list, however long the service is in trouble.
func (e *Engine) list(ctx context.Context, each func([]State) error) error {
	var guard payments.PageGuard
	for cursor := ""; ; {
		var page []State
		var next string
		err := e.caller.call(ctx, func() (err error) {
			page, next, err = e.Subjects.List(ctx, cursor)
			return err
		})
		if err == nil {
			err = each(page)
		}
		if err != nil || next == "" {
			return err
		}
		ids := make([]string, len(page))
		for i, state := range page {
			ids[i] = state.ID
		}
		if err := guard.Step(next, ids); err != nil {
			return err
		}
		cursor = next
	}
}

// take records states, of which it reads the partial ones first, several at once, unless they are known.
func (e *Engine) take(ctx context.Context, states []State) error {
	err := wait.Each(ctx, len(states), func(ctx context.Context, i int) error {
		known := e.find(states[i].ID)
		isKnown := known.verdict != Waiting || known.reported && known.Status == states[i].Status
		if !states[i].Partial || isKnown || e.TakesPartial && states[i].Status != "" {
			return nil
		}
		return e.caller.call(ctx, func() error {
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
	for i := 0; err == nil && i < len(states); i++ {
		if states[i].Status != "" {
			err = e.record(states[i])
		}
	}
	return err
}
