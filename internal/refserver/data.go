package refserver

import (
	"context"
	"errors"
	"log/slog"
	"time"

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

// Backup copies the data of a folder, which servers may be using, to a new file. The error is a *DataError if the
// folder cannot be used; it wraps fs.ErrExist if the file exists.
func Backup(ctx context.Context, folder, file string) (sqlite.Copy, error) {
	copied, err := sqlite.Backup(ctx, folder, file)
	if unusable, ok := errors.AsType[*sqlite.FolderError](err); ok {
		err = &DataError{folder, unusable.Err}
	}
	return copied, err
}

// A place is where a service keeps its data.
type place struct {
	store    store.Store
	clock    func() time.Time // by which the worlds go; servers on several machines with one place go by the same
	name     string           // for people; empty: memory or a folder
	loss     *LossError       // that was accepted; nil: nothing was lost
	restored bool             // it is a database that was restored from a backup
}

// openPlace opens the place that a configuration names. The error is a *DataError or a *DatabaseError.
func openPlace(config Config) (place, error) {
	switch {
	case config.Database != nil:
		return openDatabase(*config.Database)
	case config.Data != "":
		return openFolder(config.Data, config.AcceptLoss, config.Log)
	default:
		return place{store: memory.New(), clock: time.Now}, nil
	}
}

// openFolder opens the store in a folder. What fails outside of requests is logged; the log may be nil. The error is a
// *DataError.
func openFolder(folder string, acceptLoss bool, log *slog.Logger) (place, error) {
	open := func(ctx context.Context, folder string) (*sqlite.Store, *LossError, error) {
		kept, err := sqlite.Open(ctx, folder)
		return kept, nil, err
	}
	if acceptLoss {
		open = sqlite.OpenAcceptingLoss
	}
	kept, loss, err := open(context.Background(), folder) // waits only while another process opens it
	if err != nil {
		return place{}, &DataError{folder, err}
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
	return place{store: kept, clock: time.Now, loss: loss}, nil
}
