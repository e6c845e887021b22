package sqlitedb

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrNewer means that a later version of the program wrote the database.
var ErrNewer = errors.New("the data was written by a later version of the program")

// A Code is a primary result code of SQLite (https://www.sqlite.org/rescode.html).
type Code int

// The codes that the program distinguishes.
const (
	Busy         Code = 5
	ReadOnly     Code = 8
	InputOutput  Code = 10
	Corrupt      Code = 11
	CannotOpen   Code = 14
	Protocol     Code = 15 // another process holds the lock of a log that it recovers, for as long as SQLite waits
	NotADatabase Code = 26
)

// HasCode reports whether an error of SQLite has one of these codes.
func HasCode(err error, codes ...Code) bool {
	const primary = 0xff // the higher bits extend the code
	var coded interface{ Code() int }
	return errors.As(err, &coded) && slices.Contains(codes, Code(coded.Code()&primary))
}

// retryInterval is short compared with a commit.
const retryInterval = 5 * time.Millisecond

// Retry repeats do while its error is Busy (another process holds a lock), until timeout. It returns the last error of
// do, or the context's cause.
func Retry(ctx context.Context, timeout time.Duration, do func() error) error {
	end := time.Now().Add(timeout)
	for {
		err := do()
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !HasCode(err, Busy) || !time.Now().Before(end) {
			return err
		}
		select {
		case <-time.After(retryInterval):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
