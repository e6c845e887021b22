package journal

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A Filter selects entries; empty members do not filter.
type Filter struct {
	Service string
	Client  string // an entry whose client is not known belongs to every client
	Open    bool   // only those whose outcome is open
	// Text is a reference, external id, idempotency key or subject.
	Text string
}

// page is how many entries are read at once, so that nobody is kept from writing for long.
const page = 500

// Each calls a function for every entry, in the order in which they were put down, until it fails.
func (j *Journal) Each(ctx context.Context, f Filter, each func(payments.JournalEntry) error) error {
	conditions, args := []string{"number > ?"}, []any{0}
	where := func(condition string, value ...any) {
		conditions, args = append(conditions, condition), append(args, value...)
	}
	if f.Service != "" {
		where("service = ?", f.Service)
	}
	if f.Client != "" {
		where("client IN (?, '')", f.Client)
	}
	if f.Open {
		where("outcome IN ('sending', 'unknown')")
	}
	if f.Text != "" {
		where("? IN (reference, external_id, idempotency_key, subject)", f.Text)
	}
	query := "SELECT number, " + columns + ", owner FROM writes WHERE " + strings.Join(conditions, " AND ") +
		" ORDER BY number LIMIT " + strconv.Itoa(page)
	for {
		entries, last, err := j.readUnlocked(ctx, query, args)
		if err != nil {
			return explain(j.path, err)
		}
		for _, entry := range entries {
			if err := each(entry); err != nil {
				return err
			}
		}
		if len(entries) < page {
			return nil
		}
		args[0] = last
	}
}

// readUnlocked is read, when no other program has the whole file to itself: one that recovers it after a crash, or is the
// last to close it.
func (j *Journal) readUnlocked(ctx context.Context, query string, args []any) (entries []payments.JournalEntry, last int64, err error) {
	err = unlocked(ctx, j.patience, func() (err error) {
		entries, last, err = j.read(ctx, query, args)
		return err
	})
	return entries, last, err
}

func (j *Journal) read(ctx context.Context, query string, args []any) (entries []payments.JournalEntry, last int64, err error) {
	rows, err := j.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		entry, owner, err := scan(func(into ...any) error { return rows.Scan(append([]any{&last}, into...)...) })
		if err != nil {
			return nil, 0, err
		}
		entry.Busy = entry.Outcome == payments.OutcomeSending && j.owner.alive(owner)
		entries = append(entries, entry)
	}
	return entries, last, rows.Err()
}

// Lookup finds the entry of a write.
func (j *Journal) Lookup(ctx context.Context, intent payments.Intent) (entry payments.JournalEntry, found bool, err error) {
	id := identify(intent)
	entries, _, err := j.readUnlocked(ctx, "SELECT number, "+columns+", owner FROM writes WHERE id = $1", []any{id[:]})
	if err != nil || len(entries) == 0 {
		return entry, false, explain(j.path, err)
	}
	return entries[0], true, nil
}

// Claimed implements payments.Journal. One with the same key is the same write, also where only one of the two tells its client.
func (j *Journal) Claimed(ctx context.Context, intent payments.Intent, subject string) (claimed bool, err error) {
	const query = "SELECT EXISTS (SELECT 1 FROM writes WHERE service = $1 AND client IN ($2, '') AND operation = $3 AND subject = $4 AND outcome = 'done' AND idempotency_key <> $5)"
	err = unlocked(ctx, j.patience, func() error {
		return j.db.QueryRowContext(ctx, query, intent.Service, intent.Client, intent.Operation, subject, intent.Key).Scan(&claimed)
	})
	return claimed, explain(j.path, err)
}

// Compact drops entries of writes that did not happen and were last changed before a moment, and gives the space back.
// Nothing that keeps a write from being sent twice is ever dropped.
func (j *Journal) Compact(ctx context.Context, before time.Time) (dropped int64, err error) {
	exec := func(statement string, args ...any) (concerned int64, err error) {
		err = unlocked(ctx, j.patience, func() error {
			result, err := j.db.ExecContext(ctx, statement, args...)
			if err == nil {
				concerned, err = result.RowsAffected()
			}
			return err
		})
		return concerned, explain(j.path, err)
	}
	if dropped, err = exec("DELETE FROM writes WHERE outcome IN ('refused', 'not_sent', 'absent') AND changed < $1", moment(before)); err != nil {
		return 0, err
	}
	for _, statement := range []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := exec(statement); err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}
