package memory

import (
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// A transaction implements store.Documents. Its changes are made at once, and undone if it fails.
type transaction struct {
	*world
	writes  bool
	changes []change
}

// A change is a write with what undoes it.
type change struct {
	kind          *store.Kind
	id            string
	before, after store.Document // nil: there was none, or there is none any more
	cleared       *table         // what Clear has removed; nil: it is another write
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
	tx.changes = append(tx.changes, change{kind: kind, id: id, before: before, after: document})
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
	tx.changes = append(tx.changes, change{kind: kind, cleared: tx.tables[kind.Number]})
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
			tx.tables[c.kind.Number] = c.cleared
			continue
		}
		tx.tables[c.kind.Number].set(c.id, c.before)
	}
}

// logged returns the changes for the log.
func (tx *transaction) logged() ([]logChange, error) {
	logged := make([]logChange, len(tx.changes))
	for i, c := range tx.changes {
		logged[i] = logChange{World: tx.name, Kind: c.kind.Name, ID: c.id, Clear: c.cleared != nil}
		if c.after == nil {
			continue
		}
		text, err := store.Encode(c.after)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.kind.Name, c.id, err)
		}
		logged[i].Document = string(text)
	}
	return logged, nil
}
