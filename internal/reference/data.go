package reference

import (
	"context"
	"log/slog"

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

// openStore opens the store in a folder, or one in memory when there is none. The log, which may be nil, is told of what fails
// beside the requests. The error is a *DataError.
func openStore(folder string, log *slog.Logger) (store.Store, error) {
	if folder == "" {
		return mem.New(), nil
	}
	kept, err := sqlite.Open(context.Background(), folder) // it waits at most for another process's start
	if err != nil {
		return nil, &DataError{folder, err}
	}
	if log != nil {
		kept.TellOfLog(func(err error) {
			if err == nil {
				log.Info("the database can be written again, and its log is copied into it", "data", folder)
				return
			}
			log.Error("the log of the database cannot be copied into it and grows until it can; nothing is lost", "data", folder, "error", err)
		})
	}
	return kept, nil
}
