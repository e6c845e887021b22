package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/sqlitedb"
)

const (
	findWrite = `SELECT ` + columns + ` FROM writes WHERE ` + isOwn

	// endWrite records the outcome ?5 of a write. A done write stays done unless a person closes it. Not sent and
	// refused count only from the program that claimed the write last: they tell nothing about another program's
	// attempt. An unknown write stays unknown if a second attempt did not leave. An identifier that was shown once
	// stays.
	endWrite = `UPDATE OR ROLLBACK writes SET
	outcome = CASE WHEN ?5 = 'not_sent' AND outcome = 'unknown' THEN 'unknown' ELSE ?5 END,
	world = CASE WHEN ?6 = '' THEN world ELSE ?6 END, subject = CASE WHEN ?7 = '' AND ?14 = '' THEN subject ELSE ?7 END,
	state = ?8, problem = ?9, detail = ?10, changed = ?11, owner = CASE WHEN owner = ?12 THEN '' ELSE owner END,
	shown = CASE WHEN ?13 = '' AND ?5 <> 'done' THEN shown ELSE ?13 END,
	accepted = CASE WHEN ?14 = '' THEN accepted ELSE ?14 END
	WHERE ` + isOwn + ` AND CASE WHEN ?5 IN ('done', 'closed') THEN TRUE
	WHEN ?5 = 'unknown' THEN outcome NOT IN ('done', 'closed') ELSE outcome IN ('sending', 'unknown') AND owner = ?12 END`

	// unsendWrite removes the last time from the times of the attempts: that attempt had no effect.
	unsendWrite = `UPDATE writes SET sent = substr(sent, 32) WHERE ` + isOwn + ` AND ` + isOpen + ` AND owner = ?5`

	// findSubject selects another write with the same effect.
	findSubject = `SELECT ` + columns + ` FROM writes WHERE subject = ?5 AND operation = ?2 AND service = ?3
	AND client = ?4 AND idempotency_key <> ?1 AND (world = ?6 OR world = '' OR ?6 = '') LIMIT 1`
)

// End records the result of a write. It does not wait for the disk. After a crash before the commit the outcome is open
// again, which is safe.
func (j *Journal) End(pending PendingWrite, ending Ending) error {
	f, own, err := j.open(context.Background())
	if err != nil {
		return err
	}
	if !slices.Contains([]effect.Outcome{effect.Done, effect.Refused, effect.NotSent, effect.Unknown}, ending.Outcome) {
		return fmt.Errorf("a write does not end as %q", ending.Outcome)
	}
	complete(&pending, own)
	return explain(f.path, f.writer.Later(func(conn *sqlitedb.Conn) error { return f.end(conn, pending, ending) }))
}

// EndAlone ends a creation that is done. If its subject is the effect of another write of the operation, it is recorded
// as unknown, and EndAlone returns the other write.
func (j *Journal) EndAlone(ctx context.Context, pending PendingWrite, ending Ending) (other *Entry, err error) {
	err = j.transact(ctx, func(g *guard) error {
		complete(&pending, g.own)
		found, err := find(g.conn, findSubject, append(pending.own(), ending.Subject, ending.World)...)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			other, ending.Outcome = &found[0], effect.Unknown
		}
		return g.end(g.conn, pending, ending)
	})
	return other, err
}

func (f *file) end(conn *sqlitedb.Conn, pending PendingWrite, ending Ending) error {
	shown := ""
	if len(ending.Shown) > 0 {
		text, err := json.Marshal(ending.Shown, json.Deterministic(true))
		if err != nil {
			return err
		}
		shown = string(text)
	}
	if ending.Outcome == effect.Refused || (ending.Outcome == effect.NotSent || ending.IsUnsent) && !pending.Repeats {
		if err := conn.Exec(unsendWrite, append(pending.own(), f.owner.name)...); err != nil {
			return err
		}
	}
	return conn.Exec(endWrite, append(pending.own(), string(ending.Outcome), ending.World, ending.Subject, ending.State,
		ending.Problem, ending.Detail, timeText(f.now()), f.owner.name, shown, strings.Join(ending.Accepted, " "))...)
}

// Record records what a person has decided about writes of the journal. An entry stays as it is, and the error is
// ErrMoved, if a program is sending it, or if it has changed since Replaces was read.
func (j *Journal) Record(ctx context.Context, entries []Entry) error {
	moved := false
	err := j.transact(ctx, func(g *guard) error {
		for i := range entries {
			complete(&entries[i].PendingWrite, g.own)
			recorded, err := g.record(g.conn, &entries[i])
			if err != nil {
				return err
			}
			moved = moved || !recorded
		}
		return nil
	})
	if err == nil && moved {
		return ErrMoved
	}
	return err
}

// record records one entry. It returns false if the entry has moved.
func (f *file) record(conn *sqlitedb.Conn, entry *Entry) (recorded bool, err error) {
	known, err := find(conn, findWrite, entry.own()...)
	if err != nil {
		return false, err
	}
	if len(known) == 0 || known[0].IsOpen() && f.owner.alive(known[0].owner) ||
		entry.Replaces != nil && known[0].hasChangedSince(entry.Replaces) {
		return false, nil
	}
	return true, f.end(conn, entry.PendingWrite, entry.Ending)
}
