package store

import (
	"errors"
	"iter"
	"math"
	"time"
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

// A part of an import writes partSize records or jobs, or as many as it can in partTime: requests to other worlds wait
// for a part, and a record may have a megabyte.
const (
	partSize = 100
	partTime = 5 * time.Millisecond
)

// Parts writes an export into a world that is empty, for Store.Replace.
func (e Export) Parts() iter.Seq[func(Tx) error] {
	return func(yield func(func(Tx) error) bool) {
		_ = putAll(yield, Tx.Accounts, e.Accounts) && putAll(yield, Tx.Contacts, e.Contacts) &&
			putAll(yield, Tx.Transfers, e.Transfers) && putAll(yield, Tx.Keys, e.Keys) && scheduleAll(yield, e.Jobs)
	}
}

func all[T any](table Table[T]) ([]*T, error) { return table.List(Query{Limit: math.MaxInt}) }

// putAll yields the parts that put records. It goes from the least identifier up, which is from the last record: tables
// grow at that end.
func putAll[T any](yield func(func(Tx) error) bool, table func(Tx) Table[T], records []*T) bool {
	return inParts(yield, len(records), func(tx Tx, i int) error { return table(tx).Put(records[len(records)-1-i]) })
}

// scheduleAll yields the parts that schedule jobs.
func scheduleAll(yield func(func(Tx) error) bool, jobs []Job) bool {
	return inParts(yield, len(jobs), func(tx Tx, i int) error { return tx.Schedule(jobs[i]) })
}

// inParts yields the parts that write n items, each of which starts where the one before has ended.
func inParts(yield func(func(Tx) error) bool, n int, write func(tx Tx, i int) error) bool {
	next := 0
	for next < n {
		if !yield(func(tx Tx) error {
			began, last := time.Now(), min(next+partSize, n)
			for {
				if err := write(tx, next); err != nil {
					return err
				}
				if next++; next == last || time.Since(began) >= partTime {
					return nil
				}
			}
		}) {
			return false
		}
	}
	return true
}
