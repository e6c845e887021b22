package sqlite

import "time"

// LastingBatches lets a batch last while updates wait to join it. It has to be called before any update.
func (s *Store) LastingBatches() { s.writer.MaxAge = time.Hour }

// CheckpointAfter sets after how many writes the log is copied into the database. It has to be called before any
// update.
func (s *Store) CheckpointAfter(writes int) { s.checkpoints.after = writes }

// Waiting is how many updates wait for their turn.
func (s *Store) Waiting() int { return s.writer.Waiting() }

// NoCheckpoints leaves everything in the log until the store is closed. It has to be called before any update.
func (s *Store) NoCheckpoints() { s.checkpoints.close() }

// CommitsInLog is the last commit that SQLite replays of a log; zero: none.
func CommitsInLog(path string) (int, error) {
	scan, err := scanLog(path)
	return int(scan.last.commits), err
}

// ContentTables are the tables that hold contents of worlds.
func ContentTables() (names []string) {
	for _, each := range contentTables {
		names = append(names, each.table)
	}
	return names
}
