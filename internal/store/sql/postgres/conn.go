package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/payctl/payctl/internal/store/sql"
)

// maxPrepared is how many statements a connection keeps prepared. The store has some 100; each takes some 20 kB of the
// server's memory. Others are parsed each time.
const maxPrepared = 500

// A conn is a transaction. Its statements go to the server in one pipeline for each Send or Commit, the first one
// together with BEGIN. A pipeline takes one round trip, also when it prepares statements.
type conn struct {
	db     *DB
	ctx    context.Context
	pooled *pgxpool.Conn // nil: the transaction has ended
	queue  []request
	begun  bool  // BEGIN was sent
	err    error // the first failure
}

// A request is a statement to send.
type request struct {
	query   string
	params  [][]byte
	formats []int16
	each    func(scan func(into ...any) error) error
	raw     func(row [][]byte) error // takes a row in place of each
}

// Begin implements sql.Database.
func (db *DB) Begin(ctx context.Context) (sql.Conn, error) {
	return db.begin(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED")
}

// BeginRead implements sql.Database.
func (db *DB) BeginRead(ctx context.Context) (sql.Conn, error) {
	return db.begin(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}

// begin returns no *conn: a nil one would be an interface that is not nil.
func (db *DB) begin(ctx context.Context, statement string) (sql.Conn, error) {
	pooled, err := db.acquire(ctx)
	if err != nil {
		return nil, err
	}
	c := &conn{db: db, ctx: ctx, pooled: pooled}
	c.queue = append(c.queue, request{query: statement})
	c.queueSettings()
	return c, nil
}

// Query implements sql.Database. The settings and the statement share a pipeline, and therefore a transaction. It tries
// again on another connection, unless each had a row already.
func (db *DB) Query(
	ctx context.Context, query string, args []any, each func(scan func(into ...any) error) error,
) error {
	took := false
	take := func(scan func(into ...any) error) error {
		took = true
		if each == nil {
			return nil
		}
		return each(scan)
	}
	err := db.queryOnce(ctx, query, args, take)
	if err != nil && !took && db.Retriable(err) && ctx.Err() == nil {
		err = db.queryOnce(ctx, query, args, take)
	}
	return err
}

func (db *DB) queryOnce(
	ctx context.Context, query string, args []any, each func(scan func(into ...any) error) error,
) error {
	pooled, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	c := &conn{db: db, ctx: ctx, pooled: pooled}
	defer c.release()
	c.queueSettings()
	c.Queue(query, args, each)
	return c.Send()
}

// queueSettings queues what applies to the transaction. PgBouncer gives each transaction another session, so settings
// cannot be those of a session.
//
// Plans that were made while a table was empty read all of it, also when it has grown; so enable_seqscan is off. Names
// of tables in statements are without a schema; so search_path has it, and pg_catalog, which is always searched first.
func (c *conn) queueSettings() {
	if !c.db.clock.due() {
		c.queue = append(c.queue, request{query: c.db.settings})
		return
	}
	began := time.Now()
	c.queue = append(c.queue, request{query: c.db.settings + ", " + clockColumn, raw: func(row [][]byte) error {
		return c.db.readClock(began, row[len(row)-1])
	}})
}

// Queue implements sql.Conn.
func (c *conn) Queue(query string, args []any, each func(scan func(into ...any) error) error) {
	params, formats, err := encode(args)
	if err != nil {
		c.fail(fmt.Errorf("%s: %w", query, err))
		return
	}
	c.queue = append(c.queue, request{query: query, params: params, formats: formats, each: each})
}

// Insert implements sql.Conn: one statement with an array for each column, whatever the number of rows.
func (c *conn) Insert(into *sql.Insertion, rows [][]any) {
	if len(rows) == 0 {
		return
	}
	r := request{query: c.db.insertion(into), formats: []int16{binaryFormat}}
	for i, column := range into.Columns {
		values, err := columnList(column, rows, i)
		if err != nil {
			c.fail(fmt.Errorf("%s: %w", into.Table, err))
			return
		}
		r.params = append(r.params, values)
	}
	c.queue = append(c.queue, r)
}

// insertion is the statement of an Insertion, whose text is made once.
func (db *DB) insertion(into *sql.Insertion) string {
	statement, known := db.insertions.Load(into)
	if !known {
		statement, _ = db.insertions.LoadOrStore(into, insertion(into))
	}
	return statement.(string)
}

// insertion is the statement of an Insertion. Each parameter is the array of a column.
func insertion(into *sql.Insertion) string {
	var arrays []string
	for i, column := range into.Columns {
		kind := "text"
		if column.Integer {
			kind = "bigint"
		}
		arrays = append(arrays, fmt.Sprintf("$%d::%s[]", i+1, kind))
	}
	return into.Statement("SELECT * FROM unnest(" + strings.Join(arrays, ", ") + ")")
}

// Send implements sql.Conn.
func (c *conn) Send() error {
	if c.err != nil || len(c.queue) == 0 {
		return c.err
	}
	_, failed := c.send()
	if c.err != nil {
		return c.err
	}
	return failed
}

// Commit implements sql.Conn.
func (c *conn) Commit(int) error {
	if c.pooled == nil && c.err == nil {
		c.fail(errors.New("the transaction has ended"))
	}
	if c.err != nil {
		c.Rollback()
		return c.err
	}
	const begin = 2 // BEGIN and the settings
	if !c.begun && len(c.queue) == begin {
		c.release()
		return nil
	}
	c.queue = append(c.queue, request{query: "COMMIT"})
	tag, failed := c.send()
	if c.err == nil && tag != "COMMIT" {
		c.fail(fmt.Errorf("the server responded to COMMIT with %q", tag))
	}
	if c.err != nil {
		c.Rollback()
		return c.err
	}
	c.release()
	return failed
}

// Rollback implements sql.Conn. It does not wait for the server: the next transaction has another connection, or waits
// for this one.
func (c *conn) Rollback() {
	if c.pooled == nil {
		return
	}
	if !c.begun || c.pooled.Conn().IsClosed() {
		c.release()
		return
	}
	pooled := c.pooled
	c.pooled = nil
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_, _ = pooled.Conn().PgConn().Exec(ctx, "ROLLBACK").ReadAll() // Release closes the connection if this fails
		pooled.Release()
	}()
}

func (c *conn) release() {
	if c.pooled != nil {
		c.pooled.Release()
		c.pooled = nil
	}
}

// fail records the first failure.
func (c *conn) fail(err error) {
	if c.err == nil {
		c.err = c.db.fail(err, false)
	}
}

// send sends what is queued, and passes on the rows of the responses. It records a failure of the database in c.err. It
// returns the tag of the last statement, and the first error of a function that takes rows.
func (c *conn) send() (tag string, failed error) {
	ctx, cancel := context.WithTimeout(c.ctx, sendTimeout)
	defer cancel()
	if c.pooled == nil {
		c.fail(errors.New("the transaction has ended"))
		return "", nil
	}
	queue := c.queue
	c.queue, c.begun = nil, true
	pg := c.pooled.Conn().PgConn()
	session, _ := pg.CustomData()[sessionKey].(*session)
	pipeline := pg.StartPipeline(ctx)
	commits := queue[len(queue)-1].query == "COMMIT"
	prepares := c.db.write(pipeline, session, queue)
	err := pipeline.Sync()
	mayCommit := commits && !pgconn.SafeToRetry(err)
	for i := 0; err == nil && i < len(queue); i++ {
		if prepares[i] {
			err = session.prepared(pipeline, queue[i].query)
		}
		if err == nil {
			var taken error
			if tag, taken, err = queue[i].response(pipeline); failed == nil {
				failed = taken
			}
		}
		mayCommit = commits && mayHaveCommitted(err, i == len(queue)-1)
	}
	ended := pipeline.Close()
	if err == nil && !commits {
		err = ended // after a commit, it is only about the connection
	}
	if err != nil {
		c.failed(pg, session, err, mayCommit)
	}
	return tag, failed
}

// write writes requests to a pipeline. It returns which of them it prepares before they run.
func (db *DB) write(pipeline *pgconn.Pipeline, session *session, queue []request) (prepares []bool) {
	prepares = make([]bool, len(queue))
	named := map[string]bool{} // prepared in this pipeline
	for i, r := range queue {
		switch known := session.statements[r.query]; {
		case known != nil:
			pipeline.SendQueryStatement(known, r.params, r.formats, nil)
		case named[r.query]:
			pipeline.SendQueryPrepared(statementName(r.query), r.params, r.formats, nil)
		case db.unprepared.Load() || len(session.statements)+len(named) >= maxPrepared:
			pipeline.SendQueryParams(r.query, r.params, nil, r.formats, nil)
		default:
			prepares[i], named[r.query] = true, true
			pipeline.SendPrepare(statementName(r.query), r.query, nil)
			pipeline.SendQueryPrepared(statementName(r.query), r.params, r.formats, nil)
		}
	}
	return prepares
}

// statementName is the name of a prepared statement. It follows from the text: should PgBouncer give this connection a
// session in which another one has prepared a statement, then the same name means the same.
func statementName(query string) string {
	sum := sha256.Sum256([]byte(query))
	return "payctl_" + hex.EncodeToString(sum[:12])
}

// prepared takes the response to the preparation of a statement.
func (s *session) prepared(pipeline *pgconn.Pipeline, query string) error {
	result, err := pipeline.GetResults()
	if err != nil {
		return err
	}
	description, ok := result.(*pgconn.StatementDescription)
	if !ok {
		return fmt.Errorf("the driver returned %T for a preparation", result)
	}
	description.Name = statementName(query)
	s.statements[query] = description
	return nil
}

// response passes the rows of the response on. Taken is the first error of the function that takes them.
func (r request) response(pipeline *pgconn.Pipeline) (tag string, taken, err error) {
	result, err := pipeline.GetResults()
	if err != nil {
		return "", nil, err
	}
	reader, ok := result.(*pgconn.ResultReader)
	if !ok {
		return "", nil, fmt.Errorf("the driver returned %T for a statement", result)
	}
	for reader.NextRow() {
		switch row := reader.Values(); {
		case taken != nil:
		case r.raw != nil:
			taken = r.raw(row)
		case r.each != nil:
			taken = r.each(func(into ...any) error { return scan(row, into) })
		}
	}
	closed, err := reader.Close()
	return closed.String(), taken, err
}

// mayHaveCommitted reports whether a transaction may have been committed although a statement of the pipeline that ends
// with COMMIT failed. The server runs them in order, and none after one that fails.
func mayHaveCommitted(err error, isCommit bool) bool {
	var reported *pgconn.PgError
	if !errors.As(err, &reported) {
		return true // the connection broke, also if it was before an earlier statement's response
	}
	if strings.HasPrefix(reported.Code, "08") {
		return true // PgBouncer has lost the server, or CockroachDB and YugabyteDB have lost one of theirs
	}
	// A session that is ended in a commit, for instance while it waits for a standby, may have committed before.
	return isCommit && (reported.SeverityUnlocalized != "ERROR" || reported.Code == codeCompletionUnknown)
}

// failed records a failure of the database, and closes connections that are of no more use.
func (c *conn) failed(pg *pgconn.PgConn, session *session, err error, mayCommit bool) {
	broken := pg.IsClosed()
	if mayCommit {
		err = fmt.Errorf("%w: %w", sql.ErrOutcomeUnknown, err)
	}
	switch code := codeOf(err); {
	case code == codeUnknownStatement || code == codeKnownStatement:
		c.db.unprepared.Store(true)
		broken = true
	case code == codeChangedPlan || code == codeReadOnly:
		broken = true
	}
	c.err = c.db.fail(err, broken)
	if !broken {
		return
	}
	closing, cancel := context.WithTimeout(context.Background(), time.Second) // it only says goodbye
	defer cancel()
	_ = pg.Close(closing) // nothing of it is needed any more
	if c.ctx.Err() == nil || !errors.Is(err, c.ctx.Err()) {
		c.db.lost(session)
	}
}
