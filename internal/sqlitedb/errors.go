package sqlitedb

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrNewer is returned for a database that a later version of the program has written.
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

// HasCode reports whether SQLite gives one of some codes as the reason of an error.
func HasCode(err error, codes ...Code) bool {
	const primary = 0xff // the higher bits extend the code
	var coded interface{ Code() int }
	return errors.As(err, &coded) && slices.Contains(codes, Code(coded.Code()&primary))
}

// retryInterval is short compared with a commit, which takes some milliseconds.
const retryInterval = 5 * time.Millisecond

// Retry calls do until its error is not Busy, which means that another process holds a lock, or until the
// time is over. The error is that of do, or the cause of the context's end.
func Retry(ctx context.Context, patience time.Duration, do func() error) error {
	end := time.Now().Add(patience)
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
