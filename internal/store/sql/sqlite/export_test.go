package sqlite

import (
	"errors"
)

// CheckpointAfter sets after how many writes the log is copied into the database. It has to be called before any
// update.
func (s *Store) CheckpointAfter(writes int) { s.db.checkpoints.after = writes }

// NoCheckpoints leaves everything in the log until the store is closed. It has to be called before any update.
func (s *Store) NoCheckpoints() { s.db.checkpoints.close() }

// CommitsInLog is the last commit that SQLite replays of the log of a folder; zero: none.
func CommitsInLog(folder string) (int, error) {
	opened, err := openFiles(folder)
	if err != nil {
		return 0, err
	}
	scan, err := scanLog(opened, fileName+logSuffix)
	return int(scan.last.commits), errors.Join(err, opened.Close())
}

// Upgrade brings a database to the present version.
var Upgrade = upgrade
