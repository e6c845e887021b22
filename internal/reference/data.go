package reference

import (
	"context"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/mem"
	"github.com/payctl/payctl/internal/store/sqlite"
)

// A DataError says why a data folder cannot be used.
type DataError struct {
	Folder string
	Err    error
}

// Error implements error.
func (e *DataError) Error() string {
	return "the data folder " + e.Folder + " cannot be used: " + e.Err.Error()
}

// Unwrap is the cause.
func (e *DataError) Unwrap() error { return e.Err }

// openStore opens the store in a folder, or one in memory when there is none. The error is a *DataError.
func openStore(folder string) (store.Store, error) {
	if folder == "" {
		return mem.New(), nil
	}
	kept, err := sqlite.Open(context.Background(), folder) // it waits at most for another process's start
	if err != nil {
		return nil, &DataError{folder, err}
	}
	return kept, nil
}
