package journal

import (
	"context"
	"database/sql"
	"time"

	"github.com/payctl/payctl/internal/sqlitefile"
)

// lock begins a transaction for jobs as soon as no other process has one. Meanwhile further jobs come to them, and those go
// that nobody waits for any more; when none is left, nothing has begun.
func (w *writer) lock(ctx context.Context, s **statements, group []job) ([]job, error) {
	if err := w.inPlace(); err != nil {
		return group, err
	}
	end := time.Now().Add(w.patience)
	for {
		err := begin(ctx, w.db, s)
		if !sqlitefile.HasCode(err, sqlitefile.Busy) {
			return group, err
		}
		if err := awaitLock(ctx, end); err != nil {
			return group, err
		}
		if group = stillWanted(w.more(group)); len(group) == 0 {
			return nil, nil
		}
	}
}

// begin begins a transaction, on a connection that is made when there is none.
func begin(ctx context.Context, db *sql.DB, s **statements) error {
	if *s == nil {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		*s = &statements{conn: conn, prepared: map[string]*sql.Stmt{}}
	}
	_, err := (*s).exec(ctx, "BEGIN IMMEDIATE")
	return err
}

// more adds the jobs that are there.
func (w *writer) more(group []job) []job {
	for len(group) < mostTogether {
		select {
		case next, ok := <-w.jobs:
			if !ok {
				return group
			}
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// stillWanted tells the jobs whose context has ended so, and returns the others.
func stillWanted(group []job) []job {
	var wanted []job
	for _, j := range group {
		if j.done != nil && j.ctx.Err() != nil {
			j.done <- context.Cause(j.ctx)
			continue
		}
		wanted = append(wanted, j)
	}
	return wanted
}
