package app

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/payctl/payctl/internal/client"
)

// recorder records whether anything was written to a stream and whether that failed. It can redact or drop the text.
type recorder struct {
	io.Writer
	redact func(string) string // or nil
	begun  atomic.Bool
	muted  atomic.Bool           // drop everything
	failed atomic.Pointer[error] // the first failure
}

// Write implements io.Writer.
func (r *recorder) Write(p []byte) (int, error) {
	if r.muted.Load() {
		return len(p), nil
	}
	if len(p) > 0 {
		r.begun.Store(true)
	}
	text := p
	if r.redact != nil {
		text = []byte(r.redact(string(p)))
	}
	if _, err := r.Writer.Write(text); err != nil {
		r.failed.CompareAndSwap(nil, &err)
		return 0, err
	}
	return len(p), nil
}

// failure is the first failure to write, or nil.
func (r *recorder) failure() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// showFirstCall makes --curl print the first call of the command that runs in the returned context, and ends the
// command: its next call would need a response. From then on it drops the output of the command, which would report a
// failed call. After the command has ended, shown reports whether a call was printed, and the error of printing it.
func showFirstCall(
	ctx context.Context, p *program, streams ...*recorder,
) (_ context.Context, shown func() (bool, error)) {
	ctx, stop := context.WithCancelCause(ctx)
	var (
		first    sync.Once
		done     bool
		printing error
	)
	mute := func(muted bool) {
		for _, stream := range streams {
			stream.muted.Store(muted)
		}
	}
	p.showCall = func(line string) error {
		first.Do(func() {
			printing, done = p.PrintCurl(line), true
			mute(true)
			stop(client.ErrNotSent)
		})
		return client.ErrNotSent
	}
	return ctx, func() (bool, error) {
		first.Do(func() {}) // waits for a call that is being printed
		mute(false)
		return done, printing
	}
}
