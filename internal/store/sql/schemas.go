package sql

import (
	"fmt"
	"slices"
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
// JSON and, in columns of their own, what lists filter by.
type schema struct {
	table       string
	ofWorld     bool     // its rows are of the world itself rather than of its contents
	rarelyRead  bool     // most records are never read after they were added
	columns     []string // those that lists filter by
	changing    []string // those of them whose values change often; empty: all
	get, remove string
	insertion   Insertion
	replacement Insertion // of records whose rows have the same values in all but the changing columns
	decode      func(document []byte) (record, error)
}

// schemas are those of all kinds of record.
type schemas struct {
	accounts, contacts, transfers, keys, clients, tokens, worlds, requests *schema
}

// newSchemas makes the statements of every kind of record. The insertion of transfers, for instance, becomes INSERT
// INTO transfers (world, id, document, …): writeBuffer.queueWrites makes its rows, and Insertion.Statement writes its
// text.
func newSchemas() *schemas {
	s := &schemas{
		accounts:  newSchema[store.Account]("accounts", store.AccountColumns...),
		contacts:  newSchema[store.Contact]("contacts", store.ContactColumns...),
		transfers: newSchema[store.Transfer]("transfers", store.TransferColumns...),
		keys:      newSchema[store.Key]("idempotency_keys"),
		clients:   newSchema[store.Client]("clients"),
		tokens:    newSchema[store.Token]("tokens"),
		worlds:    newSchema[store.World]("worlds"),
		requests:  newSchema[store.RequestBatch]("requests"),
	}
	s.clients.ofWorld, s.tokens.ofWorld, s.worlds.ofWorld = true, true, true
	s.keys.rarelyRead, s.requests.rarelyRead = true, true
	s.transfers.changing = []string{store.ColumnState}
	s.transfers.replacement = newInsertion(s.transfers.table, s.transfers.changing)
	return s
}

func newSchema[T any, P store.Record[T]](table string, columns ...string) *schema {
	s := &schema{
		table: table, columns: columns,
		get:    "SELECT document FROM " + table + " WHERE world = $1 AND id = $2",
		remove: "DELETE FROM " + table + " WHERE world = $1 AND id = $2",
		decode: func(document []byte) (record, error) {
			found, err := decode[T](document)
			return P(found), err
		},
	}
	s.insertion = newInsertion(table, columns)
	return s
}

func newInsertion(table string, columns []string) Insertion {
	into := Insertion{Table: table, Key: []string{"world", "id"}}
	for _, name := range append([]string{"world", "id", "document"}, columns...) {
		into.Columns = append(into.Columns, Column{Name: name})
	}
	return into
}

// rows is the value of the column world in the rows that a transaction sees.
func (s *schema) rows(seen *state) string {
	if s.ofWorld {
		return seen.world.name
	}
	return seen.head.contents
}

// row returns the insertion of a record, and its row, which has a value for each column of that.
func (s *schema) row(rows, id string, w recordWrite) (*Insertion, []any) {
	into, columns := &s.insertion, s.columns
	if w.replaces {
		into, columns = &s.replacement, s.changing
	}
	values := append(make([]any, 0, len(into.Columns)), rows, id, w.document)
	for _, column := range columns {
		values = append(values, nullable(w.record.Indexed(column)))
	}
	return into, values
}

// replaces reports whether a record has the same values as the one before in all but the changing columns. A database
// changes the index of each column that is set, also if the value is the same.
func (s *schema) replaces(before, after record) bool {
	return before != nil && len(s.changing) > 0 && !slices.ContainsFunc(s.columns, func(column string) bool {
		return !slices.Contains(s.changing, column) && before.Indexed(column) != after.Indexed(column)
	})
}

// nullable keeps empty values out of the indexes.
func nullable(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// list is the statement that selects the records of a query, and its arguments.
func (s *schema) list(rows string, q store.Query) (query string, args []any) {
	var b strings.Builder
	b.WriteString("SELECT document FROM " + s.table + " WHERE world = $1")
	args = append(args, rows)
	where := func(condition string, value any) {
		args = append(args, value)
		fmt.Fprintf(&b, condition, len(args))
	}
	// The index of the first column is to be used; COALESCE keeps the planner from using a longer one of another column.
	format := " AND %s = $%%d"
	for _, c := range s.columns {
		if value, ok := q.Where[c]; ok {
			where(fmt.Sprintf(format, c), value)
			format = " AND COALESCE(%s, '') = $%%d"
		}
	}
	if q.Before != "" {
		where(" AND id < $%d", q.Before)
	}
	where(" ORDER BY id DESC LIMIT $%d", int64(max(q.Limit, 0)))
	return b.String(), args
}
