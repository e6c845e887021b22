package sql

import (
	"cmp"
	"maps"
	"slices"
)

// flush queues the writes of updates that have succeeded. The insertions wait for group.sendInsertions.
func (s *state) flush(g *group) {
	if s.buffer.empty() {
		return
	}
	s.buffer.queueWrites(g, s)
	maps.Copy(s.flushed, s.buffer.records)
	s.buffer = newWriteBuffer()
	g.flushed = true
}

// queueWrites queues the statements that write a buffer, and collects the rows to insert, such as those of new
// transfers, for group.sendInsertions.
func (b *writeBuffer) queueWrites(g *group, s *state) {
	keys := slices.SortedFunc(maps.Keys(b.records), func(a, b recordKey) int { // so that rows are added side by side
		return cmp.Or(cmp.Compare(a.schema.table, b.schema.table), cmp.Compare(a.id, b.id))
	})
	for _, key := range keys {
		write, sc := b.records[key], key.schema
		if write.record == nil {
			g.conn.Queue(sc.remove, []any{sc.rows(s), key.id}, nil)
		} else {
			g.insert(sc.row(sc.rows(s), key.id, write))
		}
	}
	contents := s.head.contents
	if len(b.finished) > 0 { // all between two of them are finished too, since each was the earliest of all
		first, last := slices.MinFunc(b.finished, queuedJob.compare), slices.MaxFunc(b.finished, queuedJob.compare)
		g.conn.Queue(deleteJobs, []any{contents, first.due, first.number, last.due, last.number}, nil)
	}
	for _, j := range slices.SortedFunc(slices.Values(b.added), queuedJob.compare) { // b stays as it is
		g.insert(&insertJobs, []any{contents, j.due, j.number, string(j.Kind), j.Subject, int64(j.Revision)})
	}
	for _, e := range b.events {
		if e.seq <= b.pruned {
			continue
		}
		g.insert(&insertEvents, []any{contents, position(e.seq), string(e.kind), nullable(e.subject), e.document})
	}
	if b.pruned > 0 {
		g.conn.Queue(pruneEvents, []any{contents, position(b.pruned)}, nil)
	}
}
