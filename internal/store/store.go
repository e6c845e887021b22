// Package store says what the reference service keeps and how. A Store is a set of worlds, one for each client; a
// transaction sees and changes one world. Package mem keeps worlds in memory, sqlite in a folder; storetest holds every Store to
// this page.
package store

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound is returned for a record that is not there.
var ErrNotFound = errors.New("store: no such record")

// A Store keeps worlds. Transactions of one world run one after the other, those of different worlds beside each other.
type Store interface {
	// Update runs fn in a transaction that may write. When fn returns nil all that it wrote is there, else none of it.
	// The error is fn's, the context's or the store's own.
	Update(ctx context.Context, world string, fn func(Tx) error) error
	// View runs fn in a transaction that only reads. It sees all of an Update or none of it.
	View(ctx context.Context, world string, fn func(Tx) error) error
	// Close releases what the store holds.
	Close() error
}

// A Tx is a transaction in one world. Records that it returns are shared: whoever wants to change one changes a copy
// and puts that.
type Tx interface {
	Accounts() Table[Account]
	Contacts() Table[Contact]
	Transfers() Table[Transfer]
	Keys() Table[Key]
	Clients() Table[Client]
	Tokens() Table[Token]
	// Worlds holds one record, the world itself; none before the world is entered for the first time.
	Worlds() Table[World]
	// Events is the log of what happened.
	Events() EventLog
	// Schedule adds a job. Two jobs for the same moment run in the order in which they were added.
	Schedule(Job) error
	// NextJob is the earliest job; the error is ErrNotFound when there is none.
	NextJob() (Job, error)
	// FinishJob removes the earliest job.
	FinishJob() error
	// Jobs lists all jobs, in the order in which they will run.
	Jobs() ([]Job, error)
	// Clear removes every record and every job of the world.
	Clear() error
}

// A Table holds the records of one kind in the order of their identifiers.
type Table[T any] interface {
	// Get returns the record with an identifier; the error is ErrNotFound when there is none.
	Get(id string) (*T, error)
	// Put adds a record or replaces the one with its identifier.
	Put(*T) error
	// Delete removes a record; the error is ErrNotFound when there is none.
	Delete(id string) error
	// List returns records from the greatest identifier down.
	List(Query) ([]*T, error)
}

// A Record is a T that can be kept in a Table, by its pointer: some are large.
type Record[T any] interface {
	*T
	// RecordID is the identifier under which the record is kept.
	RecordID() string
	// Created is when the record came to be.
	Created() time.Time
	// Indexed is the record's value in a column that lists filter by. Which columns there are is the same for every
	// record of a kind; see Columns of that kind.
	Indexed(column string) string
}

// A Query selects records of a table.
type Query struct {
	// Where holds the columns that must have a value.
	Where map[string]string
	// Before keeps identifiers less than it; empty keeps all.
	Before string
	// CreatedAfter keeps records created after that moment; zero keeps all.
	CreatedAfter time.Time
	// Limit is the most records to return.
	Limit int
}
