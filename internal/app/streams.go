package app

import (
	"io"
	"sync/atomic"
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
