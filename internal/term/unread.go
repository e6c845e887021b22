package term

import (
	"context"
	"fmt"
	"io"
)

// errUnread is a broken pipe that was found before anything was written to it.
var errUnread = fmt.Errorf("nobody reads the output any more: %w", io.ErrClosedPipe)

// WhileRead returns a context that ends, with an error that IsBrokenPipe knows, when the output is a pipe whose reader goes
// away: who waits for news that may be long in coming need not wait for nobody. The function ends the watch over it.
func (s *Streams) WhileRead(ctx context.Context) (context.Context, func()) {
	if s.Pipe == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if awaitUnread(ctx, s.Pipe) {
			cancel(errUnread)
		}
	}()
	return ctx, func() { cancel(nil) }
}
