package journal

import (
	"context"
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/sqlitedb"
)

const (
	findWrite = `SELECT ` + columns + ` FROM writes WHERE ` + isOwn

	// endWrite records the outcome ?5 of a write. What is done stays done, unless its effect is gone. That nothing left, or
	// was refused, counts only for the program that claimed the write last: it tells nothing about the attempt of another
	// one. That a second attempt did not leave does not mean that the first one did not either: the write stays unknown.
	endWrite = `UPDATE OR ROLLBACK writes SET outcome = CASE WHEN ?5 = 'not_sent' AND outcome = 'unknown' THEN 'unknown' ELSE ?5 END,
	world = CASE WHEN ?6 = '' THEN world ELSE ?6 END, subject = CASE WHEN ?7 = '' THEN subject ELSE ?7 END,
	state = ?8, problem = ?9, detail = ?10, changed = ?11, owner = CASE WHEN owner = ?12 THEN '' ELSE owner END
	WHERE ` + isOwn + ` AND CASE WHEN ?5 IN ('done', 'absent') THEN TRUE WHEN ?5 = 'unknown' THEN outcome <> 'done'
	ELSE outcome IN ('sending', 'unknown') AND owner = ?12 END`
)

// End records the result of a write. It does not wait for the disk: after a crash before the commit the outcome is
// open again, which is safe.
func (j *Journal) End(intent Intent, result Result) error {
	f, own, err := j.open(context.Background())
	if err != nil {
		return err
	}
	if !slices.Contains([]Outcome{OutcomeDone, OutcomeRefused, OutcomeNotSent, OutcomeUnknown}, result.Outcome) {
		return fmt.Errorf("a write does not end as %q", result.Outcome)
	}
	complete(&intent, own)
	return explain(f.path, f.writer.Later(func(conn *sqlitedb.Conn) error { return f.end(conn, intent, result) }))
}

// end records the outcome of a write.
func (f *file) end(conn *sqlitedb.Conn, intent Intent, result Result) error {
	return conn.Exec(endWrite, append(intent.own(), string(result.Outcome), result.World, result.Subject, result.State,
		result.Problem, result.Detail, timeText(f.now()), f.owner.name)...)
}

// Release records that writes that were claimed have not been sent. What another program has found out about them
// stays. Like End, it does not wait for the disk.
func (j *Journal) Release(intents ...Intent) error {
	for _, intent := range intents {
		if err := j.End(intent, Result{Outcome: OutcomeNotSent}); err != nil {
			return err
		}
	}
	return nil
}

// Record records what was found out about writes of the journal: that they are done, or absent: that they had no effect, or
// it is gone. It counts only if the entry has the content that was read, and absent only if the entry is as it was read and
// no program is sending the write, since an absent write may be sent again; otherwise the entry stays as it is, and the
// error is ErrMoved. Absent also counts only for the client that sent the write: otherwise nothing is recorded, and the
// error is ErrOthers.
func (j *Journal) Record(ctx context.Context, entries []Entry) error {
	f, own, err := j.open(ctx)
	if err != nil {
		return err
	}
	for i := range entries {
		entry := &entries[i]
		complete(&entry.Intent, own)
		if entry.Outcome == OutcomeAbsent && (entry.Service != own.Service || entry.Client != own.Client) {
			return ErrOthers
		}
	}
	moved := false
	err = f.do(ctx, func(conn *sqlitedb.Conn) error {
		for i := range entries {
			recorded, err := f.record(conn, &entries[i])
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

// record records one entry. It returns false if another program has sent or found the write since the entry was read.
func (f *file) record(conn *sqlitedb.Conn, entry *Entry) (recorded bool, err error) {
	known, err := find(conn, findWrite, entry.own()...)
	if err != nil {
		return false, err
	}
	hasMoved := len(known) == 0 || known[0].Fingerprint != entry.Fingerprint
	if entry.Outcome == OutcomeAbsent && !hasMoved {
		hasMoved = known[0].Attempts != entry.Attempts || !known[0].Changed.Equal(entry.Changed) ||
			known[0].IsOpen() && f.owner.alive(known[0].owner)
	}
	if hasMoved {
		return false, nil
	}
	return true, f.end(conn, entry.Intent, entry.Result)
}
