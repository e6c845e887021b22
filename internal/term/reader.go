package term

import (
	"context"
	"io"
	"os"
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
	return await(r.ctx, func() (int, error) { return r.from.Read(buffer) }, func(n int) { copy(p, buffer[:n]) })
}

// Open opens a file for reading. It ends with the context, as opening a named pipe may not, which waits for a writer.
func Open(ctx context.Context, path string) (*os.File, error) {
	return await(ctx, func() (*os.File, error) { return os.Open(path) }, func(*os.File) {})
}

// await returns what do returns and has it kept before, or the context's cause if that ends earlier.
func await[T any](ctx context.Context, do func() (T, error), keep func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case got := <-done:
		keep(got.value)
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
