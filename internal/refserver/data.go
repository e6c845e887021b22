package refserver

import (
	"context"
	"errors"
	"log/slog"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/store/sql/sqlite"
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

// A LossError is the reason why a data folder does not have all that was acknowledged.
type LossError = sqlite.LossError

// Backup copies the data of a folder, which servers may be using, to a new file. The error is a *DataError if the folder
// cannot be used; it wraps fs.ErrExist if the file exists.
func Backup(ctx context.Context, folder, file string) (sqlite.Copy, error) {
	copied, err := sqlite.Backup(ctx, folder, file)
	if unusable, ok := errors.AsType[*sqlite.FolderError](err); ok {
		err = &DataError{folder, unusable.Err}
	}
	return copied, err
}

// openStore opens the store in a folder, or one in memory if the folder is empty. What fails outside of requests is
// logged; the log may be nil. The error is a *DataError. If a loss is accepted, it is returned with the store.
func openStore(folder string, acceptLoss bool, log *slog.Logger) (store.Store, *LossError, error) {
	if folder == "" {
		return memory.New(), nil, nil
	}
	open := func(ctx context.Context, folder string) (*sqlite.Store, *LossError, error) {
		kept, err := sqlite.Open(ctx, folder)
		return kept, nil, err
	}
	if acceptLoss {
		open = sqlite.OpenAcceptingLoss
	}
	kept, loss, err := open(context.Background(), folder) // waits only while another process opens it
	if err != nil {
		return nil, nil, &DataError{folder, err}
	}
	if log != nil {
		kept.ReportCheckpoints(func(err error) {
			if err == nil {
				log.Info("the database can be written again, and its log is copied into it", "data", folder)
				return
			}
			log.Error("the log of the database cannot be copied into it and grows until it can; nothing is lost",
				"data", folder, "error", err)
		})
	}
	return kept, loss, nil
}
