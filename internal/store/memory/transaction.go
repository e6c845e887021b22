package memory

import (
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// A transaction implements store.Documents. It makes changes immediately, and undoes them if it fails.
type transaction struct {
	*world
	writes  bool
	changes []change
}

// A change is a write, with the data to undo it.
type change struct {
	collection    *store.Collection
	id            string
	before, after store.Document // nil means no document
	cleared       *table         // the table that Clear removed; nil means another write
}

// Get implements store.Documents.
func (tx *transaction) Get(collection *store.Collection, id string) (store.Document, error) {
	if document, found := tx.tables[collection.Number].byID.Get(id); found {
		return document, nil
	}
	return nil, store.ErrNotFound
}

// Put implements store.Documents.
func (tx *transaction) Put(collection *store.Collection, document store.Document) error {
	return tx.set(collection, document.DocumentID(), document)
}

// Delete implements store.Documents.
func (tx *transaction) Delete(collection *store.Collection, id string) error {
	if _, found := tx.tables[collection.Number].byID.Get(id); !found {
		return store.ErrNotFound
	}
	return tx.set(collection, id, nil)
}

func (tx *transaction) set(collection *store.Collection, id string, document store.Document) error {
	if !tx.writes {
		return store.ErrReadOnly
	}
	before := tx.tables[collection.Number].set(id, document)
	tx.changes = append(tx.changes, change{collection: collection, id: id, before: before, after: document})
	return nil
}

// List implements store.Documents.
func (tx *transaction) List(collection *store.Collection, q store.Query) ([]store.Document, error) {
	return tx.tables[collection.Number].list(q), nil
}

// Clear implements store.Documents.
func (tx *transaction) Clear(collection *store.Collection) error {
	if !tx.writes {
		return store.ErrReadOnly
	}
	tx.changes = append(tx.changes, change{collection: collection, cleared: tx.tables[collection.Number]})
	tx.tables[collection.Number] = &table{collection: collection}
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

func (tx *transaction) undo() {
	for _, c := range slices.Backward(tx.changes) {
		if c.cleared != nil {
			tx.tables[c.collection.Number] = c.cleared
			continue
		}
		tx.tables[c.collection.Number].set(c.id, c.before)
	}
}

// logged returns the changes for the log.
func (tx *transaction) logged() ([]logChange, error) {
	logged := make([]logChange, len(tx.changes))
	for i, c := range tx.changes {
		logged[i] = logChange{World: tx.name, Collection: c.collection.Name, ID: c.id, Clear: c.cleared != nil}
		if c.after == nil {
			continue
		}
		text, err := store.Encode(c.after)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.collection.Name, c.id, err)
		}
		logged[i].Document = string(text)
	}
	return logged, nil
}
