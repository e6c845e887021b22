package sqlite

import (
	"errors"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// LastingBatches lets a batch last while updates wait to join it. It has to be called before any update.
func (s *Store) LastingBatches() { s.writer.MaxAge = time.Hour }

// CheckpointAfter sets after how many writes the log is copied into the database. It has to be called before any
// update.
func (s *Store) CheckpointAfter(writes int) { s.checkpoints.after = writes }

// Waiting is how many updates wait for their turn.
func (s *Store) Waiting() int { return s.writer.Waiting() }

// NoCheckpoints leaves everything in the log until the store is closed. It has to be called before any update.
func (s *Store) NoCheckpoints() { s.checkpoints.close() }

// CommitsInLog is the last commit that SQLite replays of the log of a folder; zero: none.
func CommitsInLog(folder string) (int, error) {
	opened, err := openFiles(folder)
	if err != nil {
		return 0, err
	}
	scan, err := scanLog(opened, fileName+logSuffix)
	return int(scan.last.commits), errors.Join(err, opened.Close())
}

// ContentTables are the tables that hold contents of worlds.
func ContentTables() (names []string) {
	for _, each := range contentTables {
		names = append(names, each.table)
	}
	return names
}

// Cached is how many bytes the responses of the idempotency keys in the cache have. No update is under way.
func (s *Store) Cached() (bytes int) {
	for _, known := range s.batch.cache.records {
		if key, ok := known.(*store.Key); ok {
			bytes += len(key.Response)
		}
	}
	return bytes
}

// Upgrade brings a database to the present version.
var Upgrade = upgrade
