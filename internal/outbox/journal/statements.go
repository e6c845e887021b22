package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// rowsTogether are the numbers of rows for which statements are prepared; the last is 1. A statement for 64 rows takes
// a third of the time of 64 statements for one, and one for more rows takes no less.
var rowsTogether = []int{64, 8, 1}

// made returns statement, which makes each statement when it is first used: most programs need none, or a few.
func made[K comparable](statement func(K) string) func(K) string {
	var known sync.Map
	return func(key K) string {
		text, ok := known.Load(key)
		if !ok {
			text, _ = known.LoadOrStore(key, statement(key))
		}
		return text.(string)
	}
}

// inGroups calls do for groups of rows that one statement can write, in their order: those that are alike.
func inGroups[T any](rows []T, alike func(a, b T) bool, do func([]T) error) error {
	for len(rows) > 0 {
		run := 1
		for run < min(len(rows), rowsTogether[0]) && alike(rows[0], rows[run]) {
			run++
		}
		size := rowsTogether[slices.IndexFunc(rowsTogether, func(size int) bool { return size <= run })]
		if err := do(rows[:size]); err != nil {
			return err
		}
		rows = rows[size:]
	}
	return nil
}

// A write is a row to be written.
type write struct {
	id     identity
	intent Intent
	given  bool   // Intent.HasGivenKey
	result Result // of a write that has ended, or was found
}

func newWrite(intent Intent, result Result) write {
	return write{identify(intent), intent, intent.HasGivenKey(), result}
}

const (
	columns = "service, client, profile, operation, idempotency_key, body_hash, body, reference, external_id, batch_id, file, " +
		"outcome, world, status, subject, state, problem, detail, attempts, began, changed"
	findWrite = "SELECT " + columns + ", owner FROM writes WHERE id = ?"
	findGiven = "SELECT " + columns + ", owner FROM writes WHERE given_key = 1 AND reference = ? AND operation = ? " +
		"AND service = ? AND (client IN (?, '') OR ? = '') AND id <> ? ORDER BY number"
	findSharing = "SELECT " + columns + ", owner FROM writes WHERE external_id <> '' AND external_id = ? AND operation = ? " +
		"AND service = ? AND (client IN (?, '') OR ? = '') AND id <> ? ORDER BY number"
	noteClient  = "INSERT OR IGNORE INTO clients (service, client) VALUES (?, ?)"
	findClients = "SELECT client FROM clients WHERE service = ? AND client <> ? AND '' IN (client, ?)"
	renewWrite  = "UPDATE writes SET changed = ? WHERE id = ? AND " + isOpen + " AND owner = ?"

	forgetWrite = "UPDATE writes SET outcome = 'absent', detail = 'Its effect is gone.', changed = ? " +
		"WHERE id = ? AND outcome = 'done' AND subject = ? AND attempts = ?"
	contentWrite = "UPDATE writes SET body_hash = ? WHERE id = ?"
)

// The statements that write rows. Their parameters are those of every row, and then those that the rows share. OR
// ROLLBACK saves SQLite the copies of pages that it keeps to undo one statement; a transaction with an error fails. The
// plus before ended.id makes SQLite search the table for each row, and not the rows for each entry of the table.
var (
	// insertNew inserts writes that have no entry, unless one with a key of the user's own has the same reference.
	insertNew = made(func(rows int) string {
		return insertSQL(rows) + " WHERE NOT EXISTS (SELECT 1 FROM writes AS given WHERE given.given_key = 1 " +
			"AND given.reference = new.reference) ON CONFLICT (id) DO NOTHING RETURNING id"
	})
	// replace inserts a write, or records another attempt in its entry.
	replace = made(func(rows int) string {
		return insertSQL(rows) + " WHERE TRUE ON CONFLICT (id) DO UPDATE SET profile = excluded.profile, " +
			"body_hash = excluded.body_hash, body = excluded.body, reference = excluded.reference, " +
			"external_id = excluded.external_id, batch_id = excluded.batch_id, file = excluded.file, outcome = excluded.outcome, " +
			"world = excluded.world, status = 0, subject = excluded.subject, state = '', problem = '', detail = '', " +
			"attempts = attempts + 1, began = CASE WHEN ? THEN began ELSE excluded.began END, changed = excluded.changed, " +
			"owner = excluded.owner, given_key = excluded.given_key"
	})
	// endRows records an event of writes.
	endRows = made(func(e endedRows) string { return endSQL(e.event, e.rows) })
)

// endedRows are rows to which the same happened.
type endedRows struct {
	event Event
	rows  int
}

// values lists the parameters of rows.
func values(rows, width int) string {
	row := "(?" + strings.Repeat(", ?", width-1) + ")"
	return "(VALUES " + row + strings.Repeat(", "+row, rows-1) + ") "
}

func insertSQL(rows int) string {
	const width = 8
	shared := func(n int) string { return fmt.Sprint("?", rows*width+n) }
	return "WITH new (id, idempotency_key, body_hash, body, reference, external_id, subject, given_key) AS " +
		values(rows, width) + "INSERT OR ROLLBACK INTO writes (id, " + columns + ", owner, given_key) SELECT id, " +
		strings.Join([]string{shared(1), shared(2), shared(3), shared(4)}, ", ") + // service to operation
		", idempotency_key, body_hash, body, reference, external_id, " +
		strings.Join([]string{shared(5), shared(10), shared(6), shared(7)}, ", ") + // batch_id, file, outcome, world
		", 0, subject, '', '', '', 1, " + shared(8) + ", " + shared(8) + ", " + shared(9) + ", given_key FROM new"
}

// insertArgs are the arguments of a statement made by insertSQL for writes that share what isAlike compares.
func insertArgs(writes []write, outcome Outcome, owner string, now time.Time) []any {
	args := make([]any, 0, 8*len(writes)+11)
	for i := range writes {
		intent := &writes[i].intent
		var body any // NULL for a nil body, which a []byte would not be
		if intent.Body != nil {
			body = intent.Body
		}
		args = append(args, writes[i].id[:], intent.Key, intent.Fingerprint, body, intent.Reference, intent.ExternalID,
			intent.Of, writes[i].given)
	}
	first := &writes[0].intent
	return append(args, first.Service, first.Client, first.Profile, first.Operation, first.BatchID, string(outcome),
		first.World, timeText(now), owner, first.File)
}

// isAlike reports whether one statement can claim two writes.
func isAlike(a, b write) bool {
	return a.intent.Service == b.intent.Service && a.intent.Client == b.intent.Client &&
		a.intent.Profile == b.intent.Profile && a.intent.Operation == b.intent.Operation &&
		a.intent.OneExternalID == b.intent.OneExternalID && a.intent.BatchID == b.intent.BatchID &&
		a.intent.File == b.intent.File && a.intent.World == b.intent.World && a.given == b.given
}

func endSQL(event Event, rows int) string {
	const width = 2
	shared := func(n int) string { return fmt.Sprint("?", rows*width+n) }
	outcome, changes := transitionSQL(event, shared(7))
	return "WITH ended (id, subject) AS " + values(rows, width) + "UPDATE OR ROLLBACK writes SET outcome = " + outcome +
		", world = CASE WHEN " + shared(1) + " = '' THEN world ELSE " + shared(1) + " END, status = " + shared(2) +
		", subject = CASE WHEN ended.subject = '' THEN writes.subject ELSE ended.subject END, state = " + shared(3) +
		", problem = " + shared(4) + ", detail = " + shared(5) + ", changed = " + shared(6) +
		", owner = CASE WHEN owner = " + shared(7) +
		" THEN '' ELSE owner END FROM ended WHERE writes.id = +ended.id AND " + changes
}

// endTogether records an event of writes that have the same result, but for the subject. It returns how many changed.
func endTogether(conn *sqlitedb.Conn, event Event, writes []write, owner string, now time.Time) (int64, error) {
	args := make([]any, 0, 2*len(writes)+7)
	for i := range writes {
		args = append(args, writes[i].id[:], writes[i].result.Subject)
	}
	r := &writes[0].result
	args = append(args, r.World, r.Status, r.State, r.Problem, r.Detail, timeText(now), owner)
	return conn.Changes(endRows(endedRows{event, len(writes)}), args...)
}

// An owned entry has an owner: the program that claimed it last and has not ended it; empty if there is none.
type owned struct {
	entry Entry
	owner string
}

// find returns the entry of a write.
func find(conn *sqlitedb.Conn, id identity) (entry owned, found bool, err error) {
	entry, err = scan(func(into ...any) error { return conn.Row(findWrite, []any{id[:]}, into...) })
	if errors.Is(err, sql.ErrNoRows) {
		return owned{}, false, nil
	}
	return entry, err == nil, err
}

// findGivenKeys returns the entries with the reference of a write and other keys, which the user has given.
func findGivenKeys(conn *sqlitedb.Conn, id identity, i Intent) (entries []owned, err error) {
	return findBy(conn, findGiven, i.Reference, id, i)
}

// findBy returns the other entries of a write's operation, service and client that a statement finds by a text.
func findBy(conn *sqlitedb.Conn, statement, text string, id identity, i Intent) (entries []owned, err error) {
	args := []any{text, i.Operation, i.Service, i.Client, i.Client, id[:]}
	err = conn.Rows(context.Background(), statement, args, func(row func(...any) error) error {
		entry, err := scan(row)
		entries = append(entries, entry)
		return err
	})
	return entries, err
}

// scan reads a row of columns and the owner.
func scan(row func(...any) error) (_ owned, err error) {
	var e Entry
	var owner, outcome, world, began, changed string
	err = row(&e.Service, &e.Client, &e.Profile, &e.Operation, &e.Key, &e.Fingerprint, &e.Body,
		&e.Reference, &e.ExternalID, &e.BatchID, &e.File, &outcome, &world, &e.Status, &e.Subject, &e.State, &e.Problem, &e.Detail,
		&e.Attempts, &began, &changed, &owner)
	if err != nil {
		return owned{}, err
	}
	e.Outcome, e.Intent.World, e.Result.World, e.Of = Outcome(outcome), world, world, e.Subject
	var wrong [2]error
	e.Began, wrong[0] = time.Parse(time.RFC3339Nano, began)
	e.Changed, wrong[1] = time.Parse(time.RFC3339Nano, changed)
	if errors.Join(wrong[:]...) != nil || !e.isPossible() {
		return owned{}, errForged
	}
	return owned{e, owner}, nil
}

// errForged is returned for an entry that no version of the program writes. Its write could be sent twice if the entry
// were believed or left out.
var errForged = errors.New("it has an entry that payctl does not write")

// maxText is the most bytes of the texts and the body of an entry: far more than any request has.
const maxText = 16 << 20

// isPossible reports whether the program could have written an entry.
func (e *Entry) isPossible() bool {
	_, answered := answers[e.Outcome]
	_, found := findings[e.Outcome]
	size := len(e.Body)
	for _, text := range []string{
		e.Service, e.Client, e.Profile, e.Operation, e.Key, e.Fingerprint, e.Reference, e.ExternalID, e.BatchID, e.File, e.Subject,
		e.State, e.Problem, e.Detail, e.Result.World,
	} {
		size += len(text)
	}
	return (answered || found || e.Outcome == OutcomeSending) && e.Status >= 0 && e.Status <= 999 && e.Attempts >= 0 &&
		size <= maxText
}

// timeText is a time as the table has it. All have one length, so that they sort as their texts do.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }
