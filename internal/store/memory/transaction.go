package memory

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/sqlite"
)

// A transaction implements store.Documents. Its changes are made at once, and undone if it fails.
type transaction struct {
	*world
	writes  bool
	changes []change
}

// A change is a write with what undoes it.
type change struct {
	sqlite.Change
	before  store.Document // nil: there was none
	cleared *table         // what Clear has removed; nil: it is another write
}

// Get implements store.Documents.
func (tx *transaction) Get(kind *store.Kind, id string) (store.Document, error) {
	if document, found := tx.tables[kind.Number].byID.Get(id); found {
		return document, nil
	}
	return nil, store.ErrNotFound
}

// Put implements store.Documents.
func (tx *transaction) Put(kind *store.Kind, document store.Document) error {
	return tx.set(kind, document.DocumentID(), document)
}

// Delete implements store.Documents.
func (tx *transaction) Delete(kind *store.Kind, id string) error {
	if _, found := tx.tables[kind.Number].byID.Get(id); !found {
		return store.ErrNotFound
	}
	return tx.set(kind, id, nil)
}

func (tx *transaction) set(kind *store.Kind, id string, document store.Document) error {
	if !tx.writes {
		return store.ErrReadOnly
	}
	before := tx.tables[kind.Number].set(id, document)
	write := sqlite.Change{World: tx.name, Kind: kind, ID: id, Document: document}
	tx.changes = append(tx.changes, change{Change: write, before: before})
	return nil
}

// List implements store.Documents.
func (tx *transaction) List(kind *store.Kind, q store.Query) ([]store.Document, error) {
	return tx.tables[kind.Number].list(q), nil
}

// Clear implements store.Documents.
func (tx *transaction) Clear(kind *store.Kind) error {
	if !tx.writes {
		return store.ErrReadOnly
	}
	write := sqlite.Change{World: tx.name, Kind: kind, Clear: true}
	tx.changes = append(tx.changes, change{Change: write, cleared: tx.tables[kind.Number]})
	tx.tables[kind.Number] = &table{kind: kind}
	return nil
}

// NextDue implements store.Documents.
func (tx *transaction) NextDue() (next store.Document, err error) {
	var first dueEntry
	for _, t := range tx.tables {
		if t.due == nil {
			continue
		}
		if least, found := t.due.Min(); found && (next == nil || earlier(least, first)) {
			first = least
			next, _ = t.byID.Get(least.id)
		}
	}
	if next == nil {
		return nil, store.ErrNotFound
	}
	return next, nil
}

// undo undoes all changes.
func (tx *transaction) undo() {
	for _, c := range slices.Backward(tx.changes) {
		if c.cleared != nil {
			tx.tables[c.Kind.Number] = c.cleared
			continue
		}
		tx.tables[c.Kind.Number].set(c.ID, c.before)
	}
}

// logged returns the changes for the log.
func (tx *transaction) logged() []sqlite.Change {
	logged := make([]sqlite.Change, len(tx.changes))
	for i, c := range tx.changes {
		logged[i] = c.Change
	}
	return logged
}
