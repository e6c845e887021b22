package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// A Filter selects entries; empty members do not filter.
type Filter struct {
	Open bool   // only those whose outcome is open
	Text string // a reference, external id, idempotency key, subject or fingerprint
}

// pageSize is how many entries are read at once, so that a long list keeps no other program from compacting the file.
const pageSize = 500

// Each calls a function for every entry of this service and client, in the order in which they were recorded, until it
// fails. An entry whose client is not known belongs to every client, and without a login every entry counts. It waits for
// a program that has locked the whole file, because that recovers it after a crash or is the last to close it.
func (j *Journal) Each(ctx context.Context, filter Filter, each func(Entry) error) error {
	f, own, err := j.open(ctx)
	if f == nil {
		return err
	}
	query := "SELECT " + columns + ", number FROM writes WHERE service = ?1 AND (client IN (?2, '') OR ?2 = '')"
	if filter.Open {
		query += " AND " + isOpen
	}
	if filter.Text != "" {
		query += " AND ?3 IN (reference, external_id, idempotency_key, subject, target, body_hash)"
	}
	query += " AND number > ?4 ORDER BY number LIMIT ?5"
	last := int64(0)
	for {
		var page []Entry
		err := sqlitedb.Retry(ctx, f.patience, func() (err error) {
			page = nil
			rows, err := f.db.QueryContext(ctx, query, own.Service, own.Client, filter.Text, last, pageSize)
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

// Count counts the entries of a journal, of every service and client, and those that are open. It creates none: the error is
// fs.ErrNotExist then.
func Count(ctx context.Context, path string) (writes, open int, err error) {
	if _, err := os.Lstat(path); err != nil {
		return 0, 0, err
	}
	j := &Journal{Path: path, Now: time.Now}
	defer func() { err = errors.Join(err, j.Close()) }()
	f, _, err := j.open(ctx)
	if err != nil {
		return 0, 0, err
	}
	const query = "SELECT count(*), count(*) FILTER (WHERE " + isOpen + ") FROM writes"
	err = sqlitedb.Retry(ctx, f.patience, func() error { return f.db.QueryRowContext(ctx, query).Scan(&writes, &open) })
	return writes, open, explain(f.path, err)
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
