package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// rowsAtOnce are how many rows one statement writes: as many statements are prepared as there are sizes.
var rowsAtOnce = []int{32, 8, 1}

// flush writes a layer into the tables. The cache knows then what they hold.
func (l *layer) flush(ctx context.Context, c *connection, known *cache) error {
	for _, change := range l.order {
		if err := change.flush(ctx, c, known); err != nil {
			return err
		}
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

func (c *change) flush(ctx context.Context, to *connection, known *cache) error {
	kind := c.at.kind
	if c.record == nil {
		known.forget(c.at)
		return to.exec(ctx, kind.remove, c.at.world, c.at.id)
	}
	old, _ := known.get(c.at).(record)
	query, args := kind.write(c, old)
	if err := to.exec(ctx, query, args...); err != nil {
		return err
	}
	known.set(c.at, c.record)
	return nil
}

func (h *happenings) flush(ctx context.Context, to *connection, world string) error {
	var added, finished []numbered
	for _, job := range h.jobs {
		if job.finished {
			finished = append(finished, job.numbered)
		} else {
			added = append(added, job.numbered)
		}
	}
	order := func(a, b numbered) int { return a.key().compare(b.key()) }
	slices.SortFunc(added, order) // the table grows by places side by side
	slices.SortFunc(finished, order)
	for _, job := range finished {
		if err := to.exec(ctx, finishJob, world, job.due, job.number); err != nil {
			return err
		}
	}
	if err := insert(ctx, to, insertJobs, len(added), func(args []any, i int) []any {
		j := added[i]
		return append(args, world, j.due, j.number, string(j.Kind), j.Subject, j.Revision)
	}); err != nil {
		return err
	}
	if err := insert(ctx, to, insertEvents, len(h.events), func(args []any, i int) []any {
		e := h.events[i]
		return append(args, world, e.seq, e.kind, e.document)
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

// An insertion is a statement that adds rows, without their values.
type insertion struct {
	into    string
	columns int
}

// rows is the statement for a number of rows.
func (s insertion) rows(n int) string {
	var b strings.Builder
	b.WriteString(s.into)
	for i := range n * s.columns {
		switch {
		case i%s.columns != 0:
			b.WriteString(", ")
		case i == 0:
			b.WriteString(" (")
		default:
			b.WriteString("), (")
		}
		fmt.Fprintf(&b, "$%d", i+1)
	}
	b.WriteString(")")
	return b.String()
}

// insert adds n rows, several with a statement. values appends those of a row.
func insert(ctx context.Context, to *connection, s insertion, n int, values func(args []any, i int) []any) error {
	for from := 0; from < n; {
		size := rowsAtOnce[slices.IndexFunc(rowsAtOnce, func(size int) bool { return size <= n-from })]
		args := make([]any, 0, size*s.columns)
		for range size {
			args = values(args, from)
			from++
		}
		if err := to.exec(ctx, s.rows(size), args...); err != nil {
			return err
		}
	}
	return nil
}
