package store

import "math"

// An Export is everything in a client's world but what the world knows about itself. Clients and tokens are not a
// client's.
type Export struct {
	Accounts  []*Account
	Contacts  []*Contact
	Transfers []*Transfer
	Keys      []*Key
	Jobs      []Job // in the order in which they will run
}

// ExportOf reads everything of a world.
func ExportOf(tx Tx) (e Export, err error) {
	if e.Accounts, err = all(tx.Accounts()); err != nil {
		return e, err
	}
	if e.Contacts, err = all(tx.Contacts()); err != nil {
		return e, err
	}
	if e.Transfers, err = all(tx.Transfers()); err != nil {
		return e, err
	}
	if e.Keys, err = all(tx.Keys()); err != nil {
		return e, err
	}
	e.Jobs, err = tx.Jobs()
	return e, err
}

// Import puts everything into a world, which has to be empty.
func (e Export) Import(tx Tx) error {
	for _, put := range []func() error{
		func() error { return putAll(tx.Accounts(), e.Accounts) },
		func() error { return putAll(tx.Contacts(), e.Contacts) },
		func() error { return putAll(tx.Transfers(), e.Transfers) },
		func() error { return putAll(tx.Keys(), e.Keys) },
	} {
		if err := put(); err != nil {
			return err
		}
	}
	for _, job := range e.Jobs {
		if err := tx.Schedule(job); err != nil {
			return err
		}
	}
	return nil
}

func all[T any](table Table[T]) ([]*T, error) { return table.List(Query{Limit: math.MaxInt}) }

// putAll goes from the last to the first, which is from the least identifier up: tables grow at that end.
func putAll[T any](table Table[T], records []*T) error {
	for i := len(records) - 1; i >= 0; i-- {
		if err := table.Put(records[i]); err != nil {
			return err
		}
	}
	return nil
}
