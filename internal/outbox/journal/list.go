package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// A Filter selects entries. Empty members do not filter.
type Filter struct {
	Open bool   // only those whose outcome is open
	Text string // a reference, external id, idempotency key, subject or fingerprint
}

// pageSize is how many entries are read at once. A longer read would keep other programs from compacting the file.
const pageSize = 500

// Each calls a function for every entry of this service and client, oldest first, until it fails. An entry without a
// known client belongs to every client. Without a login every entry counts. Each waits for a program that has locked
// the whole file, for recovery after a crash or at its close.
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
		err := sqlitedb.Retry(ctx, f.lockTimeout, func() (err error) {
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

// Count counts all entries of a journal, and the open ones. It does not create the journal: the error is then
// fs.ErrNotExist.
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
	err = sqlitedb.Retry(ctx, f.lockTimeout, func() error { return f.db.QueryRowContext(ctx, query).Scan(&writes, &open) })
	return writes, open, explain(f.path, err)
}

// Lookup returns the entries of writes, in their order. A write that the journal does not have gets an entry without an
// outcome. Lookup completes the writes.
func (j *Journal) Lookup(ctx context.Context, intents ...PendingWrite) ([]Entry, error) {
	f, own, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(intents))
	err = sqlitedb.Retry(ctx, f.lockTimeout, func() (err error) {
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
