package sqlite

import (
	"context"
	"slices"
	"strings"
)

// rowsAtOnce are how many rows one statement writes: as many statements are prepared as there are sizes.
var rowsAtOnce = []int{32, 8, 1}

// flush writes a layer into the tables. The cache knows then what they hold.
func (l *layer) flush(ctx context.Context, c *connection, known *cache) error {
	if err := l.flushRecords(ctx, c, known); err != nil {
		return err
	}
	for world, h := range l.worlds {
		if err := h.flush(ctx, c, world); err != nil {
			return err
		}
		if state := known.worlds[world]; state != nil && state.queue != nil {
			state.queue.flushed()
		}
	}
	return nil
}

// flushRecords deletes and updates one after the other, and then adds what may not be there, several with a statement.
func (l *layer) flushRecords(ctx context.Context, to *connection, known *cache) error {
	added := map[*kind][]*change{}
	for _, c := range l.records {
		kind := c.at.kind
		if c.record == nil {
			known.forget(c.at)
			if err := to.exec(ctx, kind.remove, c.at.world, c.at.id); err != nil {
				return err
			}
			continue
		}
		if old, ok := known.get(c.at).(record); ok && old.Created().Equal(c.record.Created()) {
			query, args := kind.change(c, old)
			if err := to.exec(ctx, query, args...); err != nil {
				return err
			}
		} else {
			added[kind] = append(added[kind], c)
		}
		known.set(c.at, c.record)
	}
	for kind, changes := range added {
		if err := insert(ctx, to, kind.put, len(changes), func(args []any, i int) []any { return kind.row(args, changes[i]) }); err != nil {
			return err
		}
	}
	return nil
}

func (h *happenings) flush(ctx context.Context, to *connection, world string) error {
	var added []numbered
	var finished jobKey // the last of those that are; all before it are too, since each was the earliest of all
	for key, job := range h.jobs {
		switch {
		case !job.finished:
			added = append(added, job.numbered)
		case key.compare(finished) > 0:
			finished = key
		}
	}
	if finished != (jobKey{}) {
		if err := to.exec(ctx, finishJobs, world, finished.due, finished.number); err != nil {
			return err
		}
	}
	slices.SortFunc(added, func(a, b numbered) int { return a.key().compare(b.key()) }) // the table grows by places side by side
	if err := insert(ctx, to, insertJobs(), len(added), func(args []any, i int) []any {
		j := added[i]
		return append(args, world, j.due, j.number, string(j.Kind), j.Subject, j.Revision)
	}); err != nil {
		return err
	}
	rows := slices.Collect(slices.Chunk(h.events, eventsInARow))
	if err := insert(ctx, to, insertEvents(), len(rows), func(args []any, i int) []any {
		return rowOfEvents(append(args, world), rows[i])
	}); err != nil {
		return err
	}
	if h.counters == nil {
		return nil
	}
	if h.counters.forget {
		if err := to.exec(ctx, forget, world, position(h.counters.Pruned)); err != nil {
			return err
		}
		h.counters.forget = false
	}
	return to.exec(ctx, writeCounters, world, position(h.counters.Pruned), position(h.counters.Last), h.counters.jobs)
}

// An insertion is a statement that adds rows, in each of the sizes of rowsAtOnce.
type insertion []string

// newInsertion makes the statements that add rows of some columns to a table; instead says what is done where there is a row
// already, empty where there is none.
func newInsertion(table string, columns []string, instead string) (all insertion) {
	row := "(" + strings.Join(slices.Repeat([]string{placeholder}, len(columns)), ", ") + ")"
	for _, rows := range rowsAtOnce {
		all = append(all, "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES "+
			strings.Join(slices.Repeat([]string{row}, rows), ", ")+instead)
	}
	return all
}

// insert adds n rows, several with a statement. values appends those of a row.
func insert(ctx context.Context, to *connection, s insertion, n int, values func(args []any, i int) []any) error {
	var args []any
	for from := 0; from < n; {
		which := slices.IndexFunc(rowsAtOnce, func(size int) bool { return size <= n-from })
		args = args[:0]
		for range rowsAtOnce[which] {
			args = values(args, from)
			from++
		}
		if err := to.exec(ctx, s[which], args...); err != nil {
			return err
		}
	}
	return nil
}
