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
		switch {
		case write.record == nil:
			g.conn.Queue(sc.remove, []any{sc.rows(s), key.id}, nil)
		case write.replaces:
			g.insert(&sc.replacement, sc.row(sc.rows(s), key.id, write))
		default:
			g.insert(&sc.insertion, sc.row(sc.rows(s), key.id, write))
		}
	}
	var added []queuedJob
	var finished []jobKey // all between two of them are finished too, since each was the earliest of all
	for key, job := range b.jobs {
		if job.finished {
			finished = append(finished, key)
		} else {
			added = append(added, job.queuedJob)
		}
	}
	contents := s.head.contents
	if len(finished) > 0 {
		first, last := slices.MinFunc(finished, jobKey.compare), slices.MaxFunc(finished, jobKey.compare)
		g.conn.Queue(deleteJobs, []any{contents, first.due, first.number, last.due, last.number}, nil)
	}
	slices.SortFunc(added, func(a, b queuedJob) int { return a.key().compare(b.key()) })
	for _, j := range added {
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
