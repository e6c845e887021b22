package cmdutil

import (
	"context"
	"errors"
	"time"
)

// A ChangeLine is a change of a status or state, as `-o ndjson` prints it. In the first one of a subject, From is null
// and To its present state.
type ChangeLine struct {
	Type       string    `json:"type"`
	SubjectID  string    `json:"subjectId"`
	From       *string   `json:"from"`
	To         string    `json:"to"`
	OccurredAt time.Time `json:"occurredAt"`
	Reasons    any       `json:"reasons"`
}

// ErrTimeout is the cause of a context that a timeout has ended.
var ErrTimeout = errors.New("the time of --timeout is up")

// WithTimeout returns a context that ends after a timeout, with ErrTimeout. Zero means no timeout.
func WithTimeout(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, ErrTimeout)
}

// RunWithTimeout runs wait and ends it after timeout; zero means never. When the time runs out, the error is that of
// timedOut.
func RunWithTimeout(
	ctx context.Context, timeout time.Duration, wait func(context.Context) error, timedOut func() error,
) error {
	limited, cancel := WithTimeout(ctx, timeout)
	defer cancel()
	err := wait(limited)
	if err != nil && errors.Is(context.Cause(limited), ErrTimeout) && ctx.Err() == nil {
		return timedOut()
	}
	return err
}
