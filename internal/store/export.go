package store

import (
	"errors"
	"math"
)

// An Export is what a client sees of its world, for a snapshot: not the world's own record, its request log, clients
// and tokens.
type Export struct {
	Accounts  []*Account
	Contacts  []*Contact
	Transfers []*Transfer
	Keys      []*Key
	Jobs      []Job // in the order in which they will run
}

// ExportOf reads a world.
func ExportOf(tx Tx) (e Export, err error) {
	var failed [5]error
	e.Accounts, failed[0] = all(tx.Accounts())
	e.Contacts, failed[1] = all(tx.Contacts())
	e.Transfers, failed[2] = all(tx.Transfers())
	e.Keys, failed[3] = all(tx.Keys())
	e.Jobs, failed[4] = tx.Jobs()
	return e, errors.Join(failed[:]...)
}

// Import writes an export into a world, which has to be empty.
func (e Export) Import(tx Tx) error {
	if err := errors.Join(
		putAll(tx.Accounts(), e.Accounts), putAll(tx.Contacts(), e.Contacts), putAll(tx.Transfers(), e.Transfers),
		putAll(tx.Keys(), e.Keys),
	); err != nil {
		return err
	}
	for _, job := range e.Jobs {
		if err := tx.Schedule(job); err != nil {
			return err
		}
	}
	return nil
}

func all[T any](table Table[T]) ([]*T, error) { return table.List(Query{Limit: math.MaxInt}) }

// putAll goes from the least identifier up, which is from the last record: tables grow at that end.
func putAll[T any](table Table[T], records []*T) error {
	for i := len(records) - 1; i >= 0; i-- {
		if err := table.Put(records[i]); err != nil {
			return err
		}
	}
	return nil
}
