package sqlite

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/payctl/payctl/internal/store"
)

// A kind is where the records of one kind are kept, and the statements that concern one record.
type kind struct {
	table       string
	columns     []column
	get, remove string
	put         insertion
	updates     map[uint]string // by the set of columns that they write
	form        json.Options
}

// A column is a column that lists filter by: by its name in the store and in the table.
type column struct{ store, table string }

// kinds are all kinds of record.
type kinds struct {
	accounts, contacts, transfers, keys, clients, tokens, worlds *kind

	form json.Options // of every document
}

func newKinds() *kinds {
	// Records are written exactly as they are: nil slices and maps too.
	form := json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true), jsonv1.FormatDurationAsNano(true))
	newKind := func(table string, columns []string) *kind { return newKind(table, columns, form) }
	return &kinds{
		form:      form,
		accounts:  newKind("accounts", store.AccountColumns),
		contacts:  newKind("contacts", store.ContactColumns),
		transfers: newKind("transfers", store.TransferColumns),
		keys:      newKind("idempotency_keys", nil),
		clients:   newKind("clients", nil),
		tokens:    newKind("tokens", nil),
		worlds:    newKind("worlds", nil),
	}
}

// tables are the tables of everything that belongs to a world.
func (k *kinds) tables() []string {
	return []string{
		k.accounts.table, k.contacts.table, k.transfers.table, k.keys.table, k.clients.table, k.tokens.table, k.worlds.table,
		jobsTable, eventsTable, countersTable,
	}
}

func newKind(table string, columns []string, form json.Options) *kind {
	k := &kind{
		table:   table,
		form:    form,
		updates: map[uint]string{},
		get:     "SELECT document FROM " + table + " WHERE world = $1 AND id = $2",
		remove:  "DELETE FROM " + table + " WHERE world = $1 AND id = $2",
	}
	names := []string{"world", "id", "document", "created"}
	for _, name := range columns {
		k.columns = append(k.columns, column{name, snake(name)})
		names = append(names, snake(name))
	}
	var sets []string
	for _, name := range names[2:] {
		sets = append(sets, name+" = excluded."+name)
	}
	k.put = newInsertion(table, names, " ON CONFLICT (world, id) DO UPDATE SET "+strings.Join(sets, ", "))
	return k
}

// update is the statement that writes the document and the columns of a set. Whoever has the writer's turn calls it.
func (k *kind) update(columns uint) string {
	if known, ok := k.updates[columns]; ok {
		return known
	}
	sets := []string{"document = $3"}
	for i, c := range k.columns {
		if columns&(1<<i) != 0 {
			sets = append(sets, fmt.Sprintf("%s = $%d", c.table, len(sets)+3))
		}
	}
	statement := "UPDATE " + k.table + " SET " + strings.Join(sets, ", ") + " WHERE world = $1 AND id = $2"
	k.updates[columns] = statement
	return statement
}

// snake writes a column's name as the tables do: externalId is external_id.
func snake(name string) string {
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

// list is a statement that selects records, and its arguments.
func (k *kind) list(world string, q store.Query) (query string, args []any) {
	var b strings.Builder
	b.WriteString("SELECT document FROM " + k.table + " WHERE world = $1")
	args = append(args, world)
	where := func(condition string, value any) {
		args = append(args, value)
		fmt.Fprintf(&b, condition, len(args))
	}
	// The index of the first column is the one to walk; the others must not tempt the planner to walk a longer one.
	format := " AND %s = $%%d"
	for _, c := range k.columns {
		if value, ok := q.Where[c.store]; ok {
			where(fmt.Sprintf(format, c.table), value)
			format = " AND COALESCE(%s, '') = $%%d"
		}
	}
	if q.Before != "" {
		where(" AND id < $%d", q.Before)
	}
	if !q.CreatedAfter.IsZero() {
		where(" AND created > $%d", instant(q.CreatedAfter))
	}
	where(" ORDER BY id DESC LIMIT $%d", max(q.Limit, 0))
	return b.String(), args
}
