package invocation

import (
	"context"
	"errors"
	"time"
)

// A Change is a change of a status or state, as `-o ndjson` prints it. In the first one of a subject, From is null
// and To its present state.
type Change struct {
	Type       string    `json:"type"`
	SubjectID  string    `json:"subjectId"`
	From       *string   `json:"from"`
	To         string    `json:"to"`
	OccurredAt time.Time `json:"occurredAt"`
	Reasons    any       `json:"reasons"`
}

var errTimeout = errors.New("the wait is over")

// RunWithTimeout runs wait and ends it after timeout; zero means never. When the time runs out, the error is that of timedOut.
func RunWithTimeout(ctx context.Context, timeout time.Duration, wait func(context.Context) error, timedOut func() error) error {
	if timeout <= 0 {
		return wait(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	err := wait(limited)
	if err != nil && errors.Is(context.Cause(limited), errTimeout) && ctx.Err() == nil {
		return timedOut()
	}
	return err
}
