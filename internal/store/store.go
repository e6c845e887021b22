// Package store defines what the reference service stores. A Store is a set of worlds, one for each client, and a
// transaction sees and changes one world: the service calls Update, whose function gets a Tx, reads records from its
// tables, changes copies and puts them back. Package memory keeps worlds in memory, sqlite in a folder. Package
// storetest tests both against the comments of this package.
package store

import (
	"context"
	"errors"
	"iter"
)

// ErrNotFound is returned for a record that does not exist.
var ErrNotFound = errors.New("store: no such record")

// A Store keeps worlds. Updates of one world run one after the other.
type Store interface {
	// Update runs fn once in a transaction that may write. If fn returns nil, all its writes are kept, otherwise none. The
	// error is fn's, the context's or the store's own. No function that gets a Tx calls the Store: it may hold what the
	// call would wait for. Needs are records that fn is likely to read: a store on another
	// machine fetches them together, before fn runs.
	Update(ctx context.Context, world string, fn func(Tx) error, needs ...Need) error
	// Replace gives a world other contents: all but Worlds, Clients and Tokens, which stay. Each of parts writes a part of
	// them, in order, and sees those before it alone. Then last runs in an update that sees the new contents. If it
	// returns nil, they take the place of the ones before, all at once. If anything fails, the world is as it was. However
	// much is replaced, updates of other worlds wait for a part at most.
	Replace(ctx context.Context, world string, parts iter.Seq[func(Tx) error], last func(Tx) error) error
	// View runs fn in a transaction that only reads. It sees all of an Update or none of it, and every one that had
	// returned when the request of the context began (payments.RequestInfo), or before the call if that is not known. It may
	// run fn again, if fn reads what is not at hand; then only what the last run returned counts.
	View(ctx context.Context, world string, fn func(Tx) error) error
	// HasRoom reports whether the store has a record of a world (Tx.Worlds), or of fewer worlds than most.
	HasRoom(ctx context.Context, world string, most int) (bool, error)
	// Watch returns a channel that receives when another process may have changed a world, until stop is called. It is nil
	// if no other process can.
	Watch(world string) (changed <-chan struct{}, stop func())
	// Close releases what the store holds.
	Close() error
}

// A Need is a record of a world that an update is likely to read.
type Need struct {
	Kind NeedKind
	// ID is the record's identifier, or the reference of NeedReference.
	ID string
}

// A NeedKind is how a Need is found.
type NeedKind int

// The kinds of needs.
const (
	NeedKey       NeedKind = iota // Tx.Keys
	NeedAccount                   // Tx.Accounts
	NeedContact                   // Tx.Contacts, and the contact's account in Tx.Accounts
	NeedTransfer                  // Tx.Transfers
	NeedReference                 // Tx.TransferByReference
)

// A Tx is a transaction in one world. The records that it returns are shared and must not be changed: to change a
// record, put a changed copy.
type Tx interface {
	Accounts() Table[Account]
	Contacts() Table[Contact]
	Transfers() Table[Transfer]
	Keys() Table[Key]
	Clients() Table[Client]
	Tokens() Table[Token]
	// TransferByReference returns the transfer with a reference, or of several the one with the least identifier; the
	// error is ErrNotFound if there is none. It costs about as much as Table.Get, while a list in an Update may have to
	// write first what the transactions before it have put.
	TransferByReference(reference string) (*Transfer, error)
	// Worlds holds one record, of the world itself, and none before the world is first used.
	Worlds() Table[World]
	// Requests is the request log, in batches. The caller deletes old ones.
	Requests() Table[RequestBatch]
	// Events is the world's event log.
	Events() EventLog
	// Schedule adds a job. Two jobs for the same moment run in the order in which they were added.
	Schedule(Job) error
	// NextJob is the earliest job; the error is ErrNotFound if there is none.
	NextJob() (Job, error)
	// FinishJob removes the earliest job.
	FinishJob() error
	// Jobs lists all jobs, in the order in which they will run.
	Jobs() ([]Job, error)
}

// A Table holds the records of one kind in the order of their identifiers.
type Table[T any] interface {
	// Get returns the record with an identifier; the error is ErrNotFound if there is none.
	Get(id string) (*T, error)
	// Put adds a record, or replaces the one with its identifier.
	Put(*T) error
	// Delete removes a record; the error is ErrNotFound if there is none.
	Delete(id string) error
	// List returns records from the greatest identifier down.
	List(Query) ([]*T, error)
}

// A Record is a pointer to a T that a Table can keep.
type Record[T any] interface {
	*T
	// RecordID is the identifier under which the record is kept.
	RecordID() string
	// Indexed is the record's value in a column that lists filter by. See AccountColumns and the like.
	Indexed(column string) string
}

// A Query selects records of a table.
type Query struct {
	// Where holds the columns that must have a value.
	Where map[string]string
	// Before keeps identifiers less than it; empty keeps all.
	Before string
	// Limit is the most records to return.
	Limit int
}
