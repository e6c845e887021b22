package ui

import (
	"context"
	"io"
	"os"

	"github.com/payctl/payctl/internal/wait"
)

// Interruptible reads from another reader until a context ends; then the error is the context's cause. A read cannot be
// called back: one that is waiting is left behind, and what it gets is lost. It is for one goroutine.
func Interruptible(ctx context.Context, from io.Reader) io.Reader {
	return &interruptible{ctx, from, nil}
}

type interruptible struct {
	ctx    context.Context //nolint:containedctx // io.Reader has no place for one
	from   io.Reader
	buffer []byte
}

// Read implements io.Reader.
func (r *interruptible) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	if len(r.buffer) < len(p) {
		r.buffer = make([]byte, len(p))
	}
	buffer := r.buffer[:len(p)] // p is the caller's again when the context ends
	n, err := wait.For(r.ctx, func() (int, error) { return r.from.Read(buffer) })
	return copy(p, buffer[:n]), err
}

// Open opens a file for reading. It ends with the context, as opening a named pipe may not, which waits for a writer.
func Open(ctx context.Context, path string) (*os.File, error) {
	return wait.For(ctx, func() (*os.File, error) { return os.Open(path) })
}
