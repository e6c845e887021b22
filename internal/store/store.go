// Package store defines what the reference service stores. A Store is a set of worlds, one for each client. A world is
// documents by kind and identifier, and lists find them by a few values too. A transaction sees and changes one world:
// the service calls Update, whose function gets a Tx, reads documents, changes copies and puts them back.
//
// Package memory keeps worlds in memory, and with a folder also in SQLite; package postgres keeps them in PostgreSQL.
// Package storetest tests all of them against the comments of this package.
package store

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound is returned for a document that does not exist.
var ErrNotFound = errors.New("store: no such record")

// ErrReadOnly is returned for a write in a View.
var ErrReadOnly = errors.New("store: this transaction only reads")

// A Store keeps worlds. Updates of one world run one after the other.
type Store interface {
	// Update runs fn once in a transaction that may write. If fn returns nil, all its writes are kept, otherwise none. The
	// error is fn's, the context's or the store's own. No function that gets a Tx calls the Store: it may hold what the
	// call would wait for. When Update returns, also with an error of fn, all that fn read is committed.
	Update(ctx context.Context, world string, fn func(Tx) error) error
	// View runs fn in a transaction that only reads. It sees all of an Update or none of it, and every one that had
	// returned before the call. When View returns, all that fn read is committed. It may run fn again, after a commit of
	// what fn read has failed; then only what the last run returned counts.
	View(ctx context.Context, world string, fn func(Tx) error) error
	// HasRoom reports whether the store has a record of a world (Tx.Worlds), or of fewer worlds than most.
	HasRoom(ctx context.Context, world string, most int) (bool, error)
	// Watch returns a channel that receives when another process may have changed a world, until stop is called. It is nil
	// if no other process can.
	Watch(world string) (changed <-chan struct{}, stop func())
	// Ready returns an error unless the store can be written at this moment.
	Ready(ctx context.Context) error
	// Close releases what the store holds.
	Close() error
}

// Documents are the documents of one world, as a transaction of a Store sees them.
type Documents interface {
	// Get returns the document with an identifier; the error is ErrNotFound if there is none.
	Get(kind *Kind, id string) (Document, error)
	// Put adds a document, or replaces the one with its identifier.
	Put(kind *Kind, document Document) error
	// Delete removes a document; the error is ErrNotFound if there is none.
	Delete(kind *Kind, id string) error
	// List returns the documents that a query selects.
	List(kind *Kind, q Query) ([]Document, error)
	// Clear removes all documents of a kind.
	Clear(kind *Kind) error
	// NextDue returns the document that is due first, and of several at one time the one with the least identifier; the
	// error is ErrNotFound if none is ever due.
	NextDue() (Document, error)
}

// A Document is what a world keeps under an identifier. Documents are shared: nobody changes one that was put.
type Document interface {
	// DocumentID is the identifier under which the document is kept.
	DocumentID() string
	// Indexed is the document's value in a column of its kind; empty: it has none.
	Indexed(column string) string
	// DueAt is when something is to happen to the document without a request, in UTC; zero: nothing is.
	DueAt() time.Time
}

// KeptRequests is how many entries the request log of a world keeps, the latest ones.
const KeptRequests = 1000

// A Query selects documents of a kind.
type Query struct {
	// Where holds the columns that must have a value.
	Where map[string]string
	// Before keeps identifiers less than it, After those greater than it; empty keeps all.
	Before, After string
	// Ascending returns documents from the least identifier up; otherwise they come from the greatest one down.
	Ascending bool
	// Limit is the most documents to return.
	Limit int
}
