package journal

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// A Filter selects entries; empty members do not filter.
type Filter struct {
	Open bool   // only those whose outcome is open
	Text string // a reference, external id, idempotency key or subject
}

// pageSize is how many entries are read at once, so that a long list keeps no other program from compacting the file.
const pageSize = 500

// Each calls a function for every entry of this service and client, in the order in which they were recorded, until it
// fails. An entry whose client is not known belongs to every client.
func (j *Journal) Each(ctx context.Context, filter Filter, each func(Entry) error) error {
	f, own, err := j.open(ctx)
	if err != nil {
		return err
	}
	conditions, args := []string{"service = ?"}, []any{own.Service}
	if own.Client != "" {
		conditions, args = append(conditions, "client IN (?, '')"), append(args, own.Client)
	}
	if filter.Open {
		conditions = append(conditions, isOpen)
	}
	if filter.Text != "" {
		conditions = append(conditions, "? IN (reference, external_id, idempotency_key, subject)")
		args = append(args, filter.Text)
	}
	return f.each(ctx, conditions, args, each)
}

// OpenOutsideScope counts the writes whose outcome is open and that Each leaves out: those to other services, and by
// other clients. The counts are by the service's base URL.
func (j *Journal) OpenOutsideScope(ctx context.Context) (map[string]int, error) {
	f, own, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	err = f.each(ctx, []string{isOpen}, nil, func(entry Entry) error {
		sameClient := own.Client == "" || entry.Client == "" || entry.Client == own.Client
		if entry.Service != own.Service || !sameClient {
			counts[entry.Service]++
		}
		return nil
	})
	return counts, err
}

// each calls a function for the entries that conditions select. It reads them page by page, and waits for a program that
// has locked the whole file, because it recovers it after a crash or is the last to close it.
func (f *file) each(
	ctx context.Context, conditions []string, args []any, each func(Entry) error,
) error {
	//nolint:gosec // the conditions are texts of the program, and values are arguments
	query := "SELECT " + columns + ", number FROM writes WHERE " + strings.Join(conditions, " AND ") +
		" AND number > ? ORDER BY number LIMIT " + strconv.Itoa(pageSize)
	last := int64(0)
	for {
		var page []Entry
		err := sqlitedb.Retry(ctx, f.patience, func() (err error) {
			page = nil
			rows, err := f.db.QueryContext(ctx, query, append(slices.Clip(args), last)...)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, rows.Close()) }()
			for rows.Next() {
				entry, err := scan(func(into ...any) error { return rows.Scan(append(into, &last)...) })
				if err != nil {
					return err
				}
				entry.Busy = entry.IsOpen() && f.owner.alive(entry.owner)
				page = append(page, entry)
			}
			return rows.Err()
		})
		if err != nil {
			return explain(f.path, err)
		}
		for _, entry := range page {
			if err := each(entry); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

// Lookup returns the entries of writes, in their order. The entry of a write that the journal does not have has no
// outcome. Lookup completes the intents.
func (j *Journal) Lookup(ctx context.Context, intents ...Intent) ([]Entry, error) {
	f, own, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(intents))
	err = sqlitedb.Retry(ctx, f.patience, func() (err error) {
		statement, err := f.db.PrepareContext(ctx, findWrite)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, statement.Close()) }()
		for i := range intents {
			complete(&intents[i], own)
			entry, err := scan(statement.QueryRowContext(ctx, intents[i].own()...).Scan)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			entry.Busy = entry.IsOpen() && f.owner.alive(entry.owner)
			entries[i] = entry
		}
		return nil
	})
	return entries, explain(f.path, err)
}

// MadeByAnother reports whether another write of the same operation is known to have created the subject. Entries with
// the same key are the same write, also if only one of them has its client.
func (j *Journal) MadeByAnother(ctx context.Context, intent Intent, subject string) (made bool, err error) {
	f, own, err := j.open(ctx)
	if err != nil {
		return false, err
	}
	complete(&intent, own)
	const query = "SELECT EXISTS (SELECT 1 FROM writes WHERE service = $1 AND client IN ($2, '') AND operation = $3 " +
		"AND subject = $4 AND outcome = 'done' AND idempotency_key <> $5)"
	args := []any{intent.Service, intent.Client, intent.Operation, subject, intent.Key}
	err = sqlitedb.Retry(ctx, f.patience, func() error {
		return f.db.QueryRowContext(ctx, query, args...).Scan(&made)
	})
	return made, explain(f.path, err)
}

// Compact drops entries of every service whose writes did not happen and were last changed before a moment, and gives
// the space back. It drops nothing that keeps a write from being sent twice.
func (j *Journal) Compact(ctx context.Context, before time.Time) (dropped int64, err error) {
	f, _, err := j.open(ctx)
	if err != nil {
		return 0, err
	}
	run := func(statement string, args ...any) {
		if err == nil {
			err = sqlitedb.Retry(ctx, f.patience, func() error {
				result, err := f.db.ExecContext(ctx, statement, args...)
				if err == nil && len(args) > 0 {
					dropped, err = result.RowsAffected()
				}
				return err
			})
		}
	}
	run("DELETE FROM writes WHERE outcome IN ('refused', 'not_sent', 'absent') AND changed < $1", timeText(before))
	run("VACUUM")
	run("PRAGMA wal_checkpoint(TRUNCATE)")
	return dropped, explain(f.path, err)
}
