package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// IsBrokenPipe reports whether err means that the reader of an output has gone away: EPIPE, Windows' ERROR_BROKEN_PIPE
// and ERROR_NO_DATA, or a closed io.Pipe. On Unix the Go runtime turns EPIPE on descriptors 1 and 2 into a fatal
// SIGPIPE unless the program handles that signal.
func IsBrokenPipe(err error) bool {
	return slices.ContainsFunc(brokenPipes, func(broken error) bool { return errors.Is(err, broken) })
}

// errUnread is a broken pipe that was found before anything was written to it.
var errUnread = fmt.Errorf("nobody reads the output any more: %w", io.ErrClosedPipe)

// WhileRead returns a context that ends when the reader of a pipe on Out closes it. IsBrokenPipe recognises the cause.
// So a command that waits also ends. The function releases the resources.
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
