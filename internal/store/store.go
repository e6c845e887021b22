// Package store defines how the reference service stores its data. A Store is a set of worlds, one for each client. A
// world is the sandbox data of a client: documents by collection and identifier. Lists also find them by a few
// columns. A transaction sees and changes one world. The service calls Update, whose function gets a Tx, reads
// documents, changes copies and puts them back.
//
// Package memory keeps worlds in memory, and with a folder also in SQLite. Package postgres keeps them in PostgreSQL.
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
	// Update runs fn once in a transaction that may write. It keeps all writes if fn returns nil, otherwise none. The
	// error is fn's, the context's or the store's own. fn must not call the Store, which may wait for this transaction.
	// When Update returns, even with an error of fn, everything that fn read is committed.
	Update(ctx context.Context, world string, fn func(Tx) error) error
	// View runs fn in a transaction that only reads. It sees all of an Update or none of it, and every Update that
	// returned before the call. When View returns, everything that fn read is committed. View may run fn again, after a
	// commit has failed. Then only the result of the last run counts.
	View(ctx context.Context, world string, fn func(Tx) error) error
	// HasRoom reports whether the store has a record of a world (Tx.Worlds), or records of fewer worlds than most.
	HasRoom(ctx context.Context, world string, most int) (bool, error)
	// Watch returns a channel that gets an element when another process may have changed a world, until stop is called.
	// The channel is nil if no other process can.
	Watch(world string) (changed <-chan struct{}, stop func())
	// Ready returns an error unless the store accepts writes now.
	Ready(ctx context.Context) error
	// Close closes files and connections.
	Close() error
}

// Documents are the documents of one world, as a transaction of a Store sees them.
type Documents interface {
	// Get returns the document with an identifier. The error is ErrNotFound if there is none.
	Get(collection *Collection, id string) (Document, error)
	// Put adds a document, or replaces the one with its identifier.
	Put(collection *Collection, document Document) error
	// Delete removes a document. The error is ErrNotFound if there is none.
	Delete(collection *Collection, id string) error
	// List returns the documents that a query selects.
	List(collection *Collection, q Query) ([]Document, error)
	// Clear removes all documents of a collection.
	Clear(collection *Collection) error
	// NextDue returns the document that is due first. Of several at the same time it is the one with the least identifier.
	// The error is ErrNotFound if none is ever due.
	NextDue() (Document, error)
}

// A Document is a record of a world. Documents are shared: nobody may change one after Put.
type Document interface {
	DocumentID() string
	// Indexed is the document's value in a column of its collection, or "" if it has none.
	Indexed(column string) string
	// DueAt is when the document changes without a request, in UTC. Zero means never.
	DueAt() time.Time
}

// KeptRequests is how many entries the request log of a world keeps. Older ones go.
const KeptRequests = 1000

// A Query selects documents of a collection.
type Query struct {
	// Where has the required value of each column.
	Where map[string]string
	// Before selects identifiers less than it, After those greater than it. Empty selects all.
	Before, After string
	// Ascending lists documents from the least identifier up, instead of from the greatest down.
	Ascending bool
	// Limit is the most documents to return.
	Limit int
}
