package journal

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sqlitefile"
)

const (
	columns = "service, client, profile, operation, idempotency_key, body_hash, body, reference, external_id, batch_id, " +
		"outcome, world, status, subject, state, problem, detail, attempts, began, changed"
	findWrite = "SELECT " + columns + ", owner FROM writes WHERE id = $1"
	newWrite  = "INSERT INTO writes (id, " + columns + ", owner) VALUES " +
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'sending', $12, 0, $13, '', '', '', 1, $14, $14, $15) "
	addWrite   = newWrite + "ON CONFLICT (id) DO NOTHING"
	beginWrite = newWrite +
		"ON CONFLICT (id) DO UPDATE SET profile = excluded.profile, body_hash = excluded.body_hash, body = excluded.body, " +
		"reference = excluded.reference, external_id = excluded.external_id, batch_id = excluded.batch_id, " +
		"outcome = 'sending', world = excluded.world, status = 0, subject = excluded.subject, state = '', problem = '', detail = '', " +
		"attempts = attempts + 1, began = CASE WHEN outcome IN ('refused', 'not_sent') THEN excluded.began ELSE began END, changed = excluded.changed, owner = excluded.owner"
	endWrite = "UPDATE writes SET outcome = $2, world = CASE WHEN $3 = '' THEN world ELSE $3 END, status = $4, subject = CASE WHEN $5 = '' THEN subject ELSE $5 END, " +
		"state = $6, problem = $7, detail = $8, changed = $9, body = CASE WHEN $10 THEN NULL ELSE body END " +
		"WHERE id = $1 AND (outcome <> 'done' OR $2 = 'done')" // what was done, whoever found it, stays so until it is begun anew
	contentWrite = "UPDATE writes SET body_hash = $2 WHERE id = $1"
	mineWrite    = "UPDATE writes SET outcome = $2, changed = $3 WHERE id = $1 AND outcome = 'sending' AND owner = $4"
)

// Rows of a batch are put down by one statement for many, in which what they have in common stands once, and are put down as
// done by their number: both spare the larger part of the time that they would take one by one.
const (
	manyTogether = 32 // rows
	addManyHead  = "INSERT INTO writes (service, client, profile, operation, batch_id, world, owner, began, changed, " +
		"id, idempotency_key, body_hash, reference, body, external_id, outcome, status, subject, state, problem, detail, attempts) VALUES"
	addManyRow = "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?, ?, ?, ?, NULL, '', 'sending', 0, '', '', '', '', 1)"
	doneWrite  = "UPDATE writes SET outcome = 'done', world = CASE WHEN ?3 = '' THEN world ELSE ?3 END, status = ?4, " +
		"subject = CASE WHEN ?5 = '' THEN subject ELSE ?5 END, state = ?6, problem = '', detail = '', changed = ?7, body = NULL " +
		"WHERE number = ?1 AND id = ?2"
)

// statements are the statements of the writer's connection, in a transaction.
type statements struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	many     *sql.Stmt // addMany's
}

func (s *statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if known := s.prepared[query]; known != nil {
		return known, nil
	}
	statement, err := s.conn.PrepareContext(ctx, query)
	if err == nil {
		s.prepared[query] = statement
	}
	return statement, err
}

// exec runs a statement and returns how many rows it concerned.
func (s *statements) exec(ctx context.Context, query string, args ...any) (int64, error) {
	statement, err := s.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := statement.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s *statements) find(ctx context.Context, id identity) (entry payments.JournalEntry, owner string, found bool, err error) {
	statement, err := s.prepare(ctx, findWrite)
	if err != nil {
		return entry, "", false, err
	}
	entry, owner, err = scan(statement.QueryRowContext(ctx, id[:]).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return entry, "", false, nil
	}
	return entry, owner, err == nil, err
}

// begin puts a write down in place of whatever is there.
func (s *statements) begin(ctx context.Context, id identity, i payments.Intent, owner string, now time.Time) error {
	_, err := s.put(ctx, beginWrite, id, i, owner, now)
	return err
}

// replace puts a write down if the one that is there does not keep it from being sent.
func (s *statements) replace(ctx context.Context, id identity, i payments.Intent, owner string, now time.Time) (replaced bool, err error) {
	earlier, _, _, err := s.find(ctx, id)
	if err != nil || !free(earlier, i) {
		return false, err
	}
	return true, s.begin(ctx, id, i, owner, now)
}

// add puts a write down unless it is there.
func (s *statements) add(ctx context.Context, id identity, i payments.Intent, owner string, now time.Time) (added bool, err error) {
	n, err := s.put(ctx, addWrite, id, i, owner, now)
	return n > 0, err
}

// alike says whether addMany can put writes down: they differ in nothing but key, content and reference.
func alike(intents []payments.Intent) bool {
	first := intents[0]
	for _, i := range intents {
		if i.Service != first.Service || i.Client != first.Client || i.Profile != first.Profile || i.Operation != first.Operation ||
			i.BatchID != first.BatchID || i.World != first.World || i.Of != "" || i.ExternalID != "" || i.Body != nil {
			return false
		}
	}
	return true
}

// addMany puts down writes that are alike, as many as there are rows in its statement, unless one of them is there: then none.
// Last is the number of the last, before which those of the others stand in turn: a number is one more than the largest that
// there is, and nobody else writes during a transaction.
func (s *statements) addMany(ctx context.Context, ids []identity, intents []payments.Intent, owner string, now time.Time) (last int64, added bool, err error) {
	const common, own = 8, 4
	if s.many == nil {
		rows := strings.Join(slices.Repeat([]string{addManyRow}, manyTogether), ", ")
		query := strings.Join([]string{addManyHead, rows}, " ")
		if s.many, err = s.conn.PrepareContext(ctx, query); err != nil {
			return 0, false, err
		}
	}
	args := make([]any, 0, common+own*len(ids))
	c := intents[0]
	args = append(args, c.Service, c.Client, c.Profile, c.Operation, c.BatchID, c.World, owner, moment(now))
	for i := range ids {
		args = append(args, ids[i][:], intents[i].Key, intents[i].BodyHash, intents[i].Reference)
	}
	result, err := s.many.ExecContext(ctx, args...)
	if sqlitefile.HasCode(err, sqlitefile.Constraint) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	last, err = result.LastInsertId()
	return last, true, err
}

// done puts a write down as done by its number. It is not when that number is another's, or nobody's.
func (s *statements) done(ctx context.Context, number int64, id identity, r payments.Result, now time.Time) (bool, error) {
	n, err := s.exec(ctx, doneWrite, number, id[:], r.World, r.Status, r.Subject, r.State, moment(now))
	return n > 0, err
}

func (s *statements) put(ctx context.Context, query string, id identity, i payments.Intent, owner string, now time.Time) (int64, error) {
	var body any
	if i.Body != nil {
		body = i.Body
	}
	return s.exec(ctx, query, id[:], i.Service, i.Client, i.Profile, i.Operation, i.Key, i.BodyHash, body,
		i.Reference, i.ExternalID, i.BatchID, i.World, i.Of, moment(now), owner)
}

// end puts down what became of a write. It does not when the write is not there, or done.
func (s *statements) end(ctx context.Context, id identity, r payments.Result, now time.Time) (bool, error) {
	n, err := s.exec(ctx, endWrite, id[:], string(r.Outcome), r.World, r.Status, r.Subject, r.State, r.Problem, r.Detail,
		moment(now), r.Outcome.Settled())
	return n > 0, err
}

// content says which content a write has.
func (s *statements) content(ctx context.Context, id identity, hash string) error {
	_, err := s.exec(ctx, contentWrite, id[:], hash)
	return err
}

// mine gives a write that its owner has not sent an outcome. It does not when it is another's by now, or no longer open.
func (s *statements) mine(ctx context.Context, id identity, o payments.Outcome, owner string, now time.Time) (bool, error) {
	n, err := s.exec(ctx, mineWrite, id[:], string(o), moment(now), owner)
	return n > 0, err
}

// scan reads a row of columns and the owner.
func scan(row func(...any) error) (e payments.JournalEntry, owner string, err error) {
	var outcome, world, began, changed string
	err = row(&e.Service, &e.Client, &e.Profile, &e.Operation, &e.Key, &e.BodyHash, &e.Body, &e.Reference, &e.ExternalID,
		&e.BatchID, &outcome, &world, &e.Status, &e.Subject, &e.State, &e.Problem, &e.Detail, &e.Attempts, &began, &changed, &owner)
	if err != nil {
		return e, "", err
	}
	e.Outcome, e.Intent.World, e.Result.World, e.Of = payments.Outcome(outcome), world, world, e.Subject
	e.Began, err = time.Parse(time.RFC3339Nano, began)
	if err == nil {
		e.Changed, err = time.Parse(time.RFC3339Nano, changed)
	}
	return e, owner, err
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }
