package follow

import (
	"context"
	"time"

	"github.com/payctl/payctl/internal/wait"
)

// poll reads the statuses in rounds. A round begins Interval after the one before, or when that ends if it takes
// longer. poll returns nil when it is time to look for a feed again.
func (e *Engine) poll(ctx context.Context) error {
	record := func(_ context.Context, states []State) error {
		for _, state := range states {
			if state.gone || state.Status == "" {
				continue // it has been deleted, or the next round reads it
			}
			if err := e.tracker.record(state); err != nil {
				return err
			}
		}
		return nil
	}
	for end := time.Now().Add(spread(findFeedEvery)); time.Now().Before(end); {
		next := time.Now().Add(spread(e.Interval))
		if err := e.readStates(ctx, e.tracker.unfinished(), e.All, record); err != nil {
			return err
		}
		if e.tracker.allDecided() {
			return errStop
		}
		if err := wait.Sleep(ctx, time.Until(next)); err != nil {
			return err
		}
	}
	return nil
}
