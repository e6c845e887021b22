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

// Stamp tells whether anything was committed, see storesql.StampedDatabase.
func (s *Store) Stamp() uint64 { return s.db.Stamp() }

// BeginCommit records that a commit is under way, as a process does that is then killed.
func (s *Store) BeginCommit() error {
	return s.db.state.update(func(r *recorded) { r.underWay = true })
}
