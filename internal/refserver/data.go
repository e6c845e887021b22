package refserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/sqlite"
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

// Backup copies the data of a folder, which a server may be using, to a new file. The error is a *DataError if the
// folder cannot be used; it wraps fs.ErrExist if the file exists.
func Backup(ctx context.Context, folder, file string) (sqlite.Copy, error) {
	copied, err := sqlite.Backup(ctx, folder, file)
	if unusable, ok := errors.AsType[*sqlite.FolderError](err); ok {
		err = &DataError{folder, unusable.Err}
	}
	return copied, err
}

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
