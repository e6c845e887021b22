package sqlite

import "time"

// BatchWithoutEnd lets batches last for as long as somebody waits to join them. It has to be called before any update.
func (s *Store) BatchWithoutEnd() { s.writer.maxAge = time.Hour }

// CopyLogAfter lets the log be copied into the database after so many writes. It has to be called before any update.
func (s *Store) CopyLogAfter(writes int) { s.writer.log.after = writes }

// Waiting is how many updates wait for their turn.
func (s *Store) Waiting() int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return len(s.writer.waiting)
}
