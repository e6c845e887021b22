package wait

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// A PanicError is a panic of a goroutine. The goroutine that waits for it panics in its place, where a caller can
// restore the terminal.
type PanicError struct {
	value any
	stack []byte
}

// Error implements error.
func (p *PanicError) Error() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

// CatchPanic runs work and returns its error, or a *PanicError if it panics.
func CatchPanic(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{value, debug.Stack()}
		}
	}()
	return work()
}

// PassOnPanic panics if err is a *PanicError.
func PassOnPanic(err error) {
	if p, ok := errors.AsType[*PanicError](err); ok {
		panic(p.Error())
	}
}
