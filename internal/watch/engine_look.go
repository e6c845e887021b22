package watch

import (
	"context"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// lookAgain is how often a service without a feed of events is asked whether it has one by now: what said that there is
// none may have been something before it, or an older release.
const lookAgain = 10 * time.Minute

// lookForFeed waits for a feed of events to be there. The error is a *feedFound then. That there is none yet says nothing of
// how the service is.
func (e *Engine) lookForFeed(ctx context.Context) error {
	for {
		if err := wait.Sleep(ctx, jitter(lookAgain)); err != nil {
			return err
		}
		if e.gate.isShut() {
			continue
		}
		page, err := e.Service.ListEvents(ctx, payments.EventFilter{After: payments.LatestEvent, Types: e.Subjects.Events, Limit: 1})
		if err == nil {
			return &feedFound{page.Cursor}
		}
	}
}
