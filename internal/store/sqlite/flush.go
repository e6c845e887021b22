package sqlite

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// flush writes the buffer into the tables and notes in the cache what they hold then.
func (b *writeBuffer) flush(conn *sqlitedb.Conn, c *cache) error {
	if err := b.flushRecords(conn, c); err != nil {
		return err
	}
	for name, writes := range b.worlds {
		if err := writes.flush(conn, name); err != nil {
			return err
		}
		if known := c.worlds[name]; known != nil {
			known.jobs.flushed()
		}
	}
	return nil
}

// flushRecords deletes and updates rows one by one, and then inserts records that may be new, many with a statement.
func (b *writeBuffer) flushRecords(conn *sqlitedb.Conn, c *cache) error {
	inserted := map[*schema][]*recordWrite{}
	for _, w := range b.records {
		s := w.key.schema
		old := c.records[w.key]
		switch {
		case w.record == nil:
			delete(c.records, w.key)
			if err := conn.Exec(s.remove, w.key.world, w.key.id); err != nil {
				return err
			}
			continue
		case old != nil && old.Created().Equal(w.record.Created()):
			query, args := s.update(w, old)
			if err := conn.Exec(query, args...); err != nil {
				return err
			}
		default:
			inserted[s] = append(inserted[s], w)
		}
		c.put(w.key, w.record, len(w.document))
	}
	for s, writes := range inserted {
		row := func(args []any, i int) []any { return s.row(args, writes[i]) }
		if err := s.insert.run(conn, len(writes), row); err != nil {
			return err
		}
	}
	return nil
}

func (w *worldWrites) flush(conn *sqlitedb.Conn, world string) error {
	var added []queuedJob
	var finished jobKey // the last of them; jobs before it are finished too, since each was the earliest of all
	for key, job := range w.jobs {
		switch {
		case !job.finished:
			added = append(added, job.queuedJob)
		case key.compare(finished) > 0:
			finished = key
		}
	}
	if finished != (jobKey{}) {
		if err := conn.Exec(deleteJobs, world, finished.due, finished.number); err != nil {
			return err
		}
	}
	// In the order of their keys, rows are added side by side.
	slices.SortFunc(added, func(a, b queuedJob) int { return a.key().compare(b.key()) })
	if err := insertJobs.run(conn, len(added), func(args []any, i int) []any {
		j := added[i]
		return append(args, world, j.due, j.number, string(j.Kind), j.Subject, j.Revision)
	}); err != nil {
		return err
	}
	if err := insertEvents.run(conn, len(w.events), func(args []any, i int) []any {
		e := w.events[i]
		return append(args, world, position(e.seq), string(e.kind), nullable(e.subject), e.document)
	}); err != nil {
		return err
	}
	if w.counters == nil {
		return nil
	}
	if w.counters.prune {
		if err := conn.Exec(pruneEvents, world, position(w.counters.Pruned)); err != nil {
			return err
		}
		w.counters.prune = false
	}
	return conn.Exec(writeCounters, world, position(w.counters.Pruned), position(w.counters.Last), w.counters.jobs)
}

// rowsAtOnce are how many rows one INSERT adds. Each size is a statement to prepare.
var rowsAtOnce = []int{32, 8, 1}

// An insertion is an INSERT in each of the sizes of rowsAtOnce.
type insertion []string

// newInsertion makes the statements that add rows with some columns to a table. onConflict is the clause for rows that
// are there already; it may be empty.
func newInsertion(table, onConflict string, columns ...string) (all insertion) {
	// SQLite would look for each of many numbered placeholders among all of them.
	row := "(" + strings.Join(slices.Repeat([]string{"?"}, len(columns)), ", ") + ")"
	for _, rows := range rowsAtOnce {
		all = append(all, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES "+
			strings.Join(slices.Repeat([]string{row}, rows), ", ")+onConflict)
	}
	return all
}

// run inserts n rows. values appends those of a row to args.
func (s insertion) run(conn *sqlitedb.Conn, n int, values func(args []any, i int) []any) error {
	var args []any
	for from := 0; from < n; {
		which := slices.IndexFunc(rowsAtOnce, func(size int) bool { return size <= n-from })
		args = args[:0]
		for range rowsAtOnce[which] {
			args = values(args, from)
			from++
		}
		if err := conn.Exec(s[which], args...); err != nil {
			return err
		}
	}
	return nil
}
