package sandbox

import (
	"errors"
	"math"
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// An Export is the contents of a world, for a snapshot. It lacks the world's own record, its clients and tokens.
type Export struct {
	Accounts  []*store.Account
	Contacts  []*store.Contact
	Transfers []*store.Transfer
	Keys      []*store.Key
}

// ReadExport reads a world.
func ReadExport(tx store.Tx) (e Export, err error) {
	var failed [4]error
	all := store.Query{Limit: math.MaxInt}
	e.Accounts, failed[0] = tx.Accounts().List(all)
	e.Contacts, failed[1] = tx.Contacts().List(all)
	e.Transfers, failed[2] = tx.Transfers().List(all)
	e.Keys, failed[3] = tx.Keys().List(all)
	return e, errors.Join(failed[:]...)
}

// replaceContents replaces the contents of a world with the export.
func (e Export) replaceContents(tx store.Tx) error {
	return errors.Join(tx.Clear(), putAll(tx.Accounts(), e.Accounts), putAll(tx.Contacts(), e.Contacts),
		putAll(tx.Transfers(), e.Transfers), putAll(tx.Keys(), e.Keys))
}

// putAll puts records, the least identifier first, since inserting at the end of a table is faster.
func putAll[T any](table store.Table[T], records []*T) error {
	for _, record := range slices.Backward(records) {
		if err := table.Put(record); err != nil {
			return err
		}
	}
	return nil
}
