// Package forward hands events on to a receiver, each until it is acknowledged and none before the one before it, and
// keeps the place behind the last one that was.
package forward

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/wait"
)

// A Receipt tells how an event was acknowledged.
type Receipt struct {
	Status   int `json:"status,omitzero"` // of the HTTP response; zero: a program has acknowledged it
	Attempts int `json:"attempts"`
}

// A Forwarder hands events on, one at a time.
type Forwarder struct {
	// MostAttempts is after how many attempts an event fails; zero: never.
	MostAttempts int
	// Down is called when events are no longer acknowledged, and again when the reason changes; Up when they are again.
	Down func(error)
	Up   func()

	reason string // why events are not acknowledged; empty: they are
}

// pauses are those between the attempts of an event: a receiver that was restarted is tried again soon, and one that is
// down for long every few seconds.
var pauses = wait.Backoff{First: 200 * time.Millisecond, Longest: 5 * time.Second}

// Hand returns when an event has been acknowledged. Attempt hands it to the receiver once: without an error the receiver
// has acknowledged it, otherwise the error is a clause such as "the receiver answers 500". Status is that of its HTTP
// response. The error of Hand is the last one of MostAttempts, or the context's cause.
func (f *Forwarder) Hand(ctx context.Context, attempt func(context.Context) (status int, err error)) (Receipt, error) {
	for n := 1; ; n++ {
		status, err := attempt(ctx)
		switch {
		case err == nil:
			if f.reason != "" {
				f.reason = ""
				f.Up()
			}
			return Receipt{status, n}, nil
		case ctx.Err() != nil:
			return Receipt{}, context.Cause(ctx)
		case n == f.MostAttempts:
			return Receipt{}, fmt.Errorf("%w (attempt %d)", err, n)
		}
		if f.reason != err.Error() {
			f.reason = err.Error()
			f.Down(err)
		}
		var after time.Duration
		if answer, ok := errors.AsType[*answerError](err); ok {
			after = answer.after
		}
		if err := wait.Sleep(ctx, pauses.Pause(n, after)); err != nil {
			return Receipt{}, err
		}
	}
}
