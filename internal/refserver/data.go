package refserver

import (
	"context"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/postgres"
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

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// openStore opens the store of a configuration, and describes its database. The error is a *DataError or a
// *DatabaseError.
func openStore(config Config) (opened store.Store, database string, err error) {
	ctx := context.Background() // each store bounds its waits
	switch {
	case config.Database != nil:
		opened, err := postgres.Open(ctx, *config.Database)
		if err != nil {
			return nil, "", databaseError(err)
		}
		return opened, opened.String(), nil
	case config.Data != "":
		opened, err := memory.Open(ctx, config.Data)
		if err != nil {
			return nil, "", &DataError{config.Data, err}
		}
		return opened, "", nil
	default:
		return memory.New(), "", nil
	}
}
