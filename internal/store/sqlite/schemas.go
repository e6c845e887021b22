package sqlite

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/payctl/payctl/internal/store"
)

// encoding is how records and events are kept: exactly as they are, nil slices and maps too.
var encoding = json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
	jsonv1.FormatDurationAsNano(true), jsontext.AllowInvalidUTF8(true))

// A schema is the table of one kind of record, with the statements that concern one record. Each row has the record in
// JSON and, in columns of their own, what lists filter by. The SQL is kept to what PostgreSQL has too.
type schema struct {
	table       string
	columns     []column
	get, remove string
	insert      insertion
	updates     map[uint]string // see updateStatement
}

// A column that lists filter by, under its name in package store and in the table.
type column struct{ store, table string }

// schemas are those of all kinds of record.
type schemas struct {
	accounts, contacts, transfers, keys, clients, tokens, worlds, requests *schema
}

// newSchemas makes the statements of every kind of record. Those of transfers, for instance, are INSERT INTO transfers
// (world, id, document, …): newInsertion builds them, and flushRecords runs them.
func newSchemas() *schemas {
	return &schemas{
		accounts:  newSchema("accounts", store.AccountColumns...),
		contacts:  newSchema("contacts", store.ContactColumns...),
		transfers: newSchema("transfers", store.TransferColumns...),
		keys:      newSchema("idempotency_keys"),
		clients:   newSchema("clients"),
		tokens:    newSchema("tokens"),
		worlds:    newSchema("worlds"),
		requests:  newSchema("requests"),
	}
}

func newSchema(table string, columns ...string) *schema {
	s := &schema{
		table:   table,
		updates: map[uint]string{},
		get:     "SELECT document FROM " + table + " WHERE world = $1 AND id = $2",
		remove:  "DELETE FROM " + table + " WHERE world = $1 AND id = $2",
	}
	names := []string{"world", "id", "document", "created"}
	for _, name := range columns {
		s.columns = append(s.columns, column{name, snakeCase(name)})
		names = append(names, snakeCase(name))
	}
	var sets []string
	for _, name := range names[2:] {
		sets = append(sets, name+" = excluded."+name)
	}
	s.insert = newInsertion(table, " ON CONFLICT (world, id) DO UPDATE SET "+strings.Join(sets, ", "), names...)
	return s
}

// snakeCase writes a column's name as the tables do: externalId is external_id.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// row appends the values of a record's row, in the order of the insertion's columns.
func (s *schema) row(args []any, w *recordWrite) []any {
	args = append(args, w.key.world, w.key.id, w.document, timeText(w.record.Created()))
	for _, column := range s.columns {
		args = append(args, nullable(w.record.Indexed(column.store)))
	}
	return args
}

// nullable keeps empty values out of the indexes.
func nullable(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// update is the statement that replaces a record, and its arguments. It writes only the columns that differ from the
// old record's, since each has an index.
func (s *schema) update(w *recordWrite, old record) (query string, args []any) {
	args = []any{w.key.world, w.key.id, w.document}
	var differ uint
	for i, column := range s.columns {
		if value := w.record.Indexed(column.store); value != old.Indexed(column.store) {
			differ |= 1 << i
			args = append(args, nullable(value))
		}
	}
	return s.updateStatement(differ), args
}

// updateStatement writes the document and a set of columns, a bit for each.
func (s *schema) updateStatement(columns uint) string {
	if known, ok := s.updates[columns]; ok {
		return known
	}
	sets := []string{"document = $3"}
	for i, c := range s.columns {
		if columns&(1<<i) != 0 {
			sets = append(sets, fmt.Sprintf("%s = $%d", c.table, len(sets)+3))
		}
	}
	statement := "UPDATE " + s.table + " SET " + strings.Join(sets, ", ") + " WHERE world = $1 AND id = $2"
	s.updates[columns] = statement
	return statement
}

// list is the statement that selects the records of a query, and its arguments.
func (s *schema) list(world string, q store.Query) (query string, args []any) {
	var b strings.Builder
	b.WriteString("SELECT document FROM " + s.table + " WHERE world = $1")
	args = append(args, world)
	where := func(condition string, value any) {
		args = append(args, value)
		fmt.Fprintf(&b, condition, len(args))
	}
	// The index of the first column is to be used; COALESCE keeps the planner from using a longer one of another column.
	format := " AND %s = $%%d"
	for _, c := range s.columns {
		if value, ok := q.Where[c.store]; ok {
			where(fmt.Sprintf(format, c.table), value)
			format = " AND COALESCE(%s, '') = $%%d"
		}
	}
	if q.Before != "" {
		where(" AND id < $%d", q.Before)
	}
	where(" ORDER BY id DESC LIMIT $%d", max(q.Limit, 0))
	return b.String(), args
}
