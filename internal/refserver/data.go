package refserver

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// A DataError is the reason why a data folder cannot be used.
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

// openStore opens the store that a configuration names, and describes the database. The error is a *DataError or a
// *DatabaseError.
func openStore(config Config) (opened store.Store, database string, err error) {
	ctx := context.Background() // what is opened bounds its waits
	switch {
	case config.Database != nil:
		kept, err := openDatabase(ctx, *config.Database)
		if err != nil {
			return nil, "", err
		}
		return kept, fmt.Sprint(kept), nil
	case config.Data != "":
		kept, err := memory.Open(ctx, config.Data)
		if err != nil {
			return nil, "", &DataError{config.Data, err}
		}
		return kept, "", nil
	default:
		return memory.New(), "", nil
	}
}
