package sandbox

import (
	"context"
	"crypto/rand"
	"io"

	"github.com/payctl/payctl/internal/store"
)

// loadRecord reads the world's record in a transaction. If other processes use the store, it also adopts their changes
// of the record. The error is store.ErrNotFound for a world that was never entered.
func (w *World) loadRecord(tx store.Tx) (*store.World, error) {
	stored, err := tx.Worlds().Get(store.WorldID)
	if err == nil && w.worlds.config.Shared && w.record.Load() != nil {
		// With the stream of the seed, this process would use the same identifiers as the other one.
		w.adopt(stored, func(string) io.Reader { return rand.Reader })
	}
	return stored, err
}

// storedRecord is loadRecord in its own transaction.
func (w *World) storedRecord(ctx context.Context) (record *store.World, err error) {
	err = w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		record, err = w.loadRecord(tx)
		return err
	})
	return record, err
}

// adopt uses a committed record, unless the current one has the same or a later version. A new instance of the world
// gets new random streams.
func (w *World) adopt(record *store.World, random func(purpose string) io.Reader) {
	w.adopting.Lock()
	defer w.adopting.Unlock()
	known := w.record.Load()
	if known != nil && record.Version <= known.Version {
		return
	}
	if known == nil || record.Instance != known.Instance {
		w.ids.Restart(random(purposeIDs))
		w.requestRandom.replace(random(purposeRequests))
		w.faultRandom.replace(random(purposeFaults))
	}
	w.clock.set(record.Clock)
	w.record.Store(record)
	w.Wake()
}

// adoptChanged is adopt for a record that this process has changed. nil means it has not.
func (w *World) adoptChanged(record *store.World) {
	if record != nil {
		w.adopt(record, func(purpose string) io.Reader { return w.worlds.random(w.client, purpose, record.Generation) })
	}
}

// changeRecord changes a copy of the world's record in a transaction, stores it if change returns true, and adopts it
// after the commit.
func (w *World) changeRecord(ctx context.Context, change func(store.Tx, *store.World) (changed bool, err error)) error {
	var next *store.World
	err := w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		stored, err := w.loadRecord(tx)
		if err != nil {
			return err
		}
		record := *stored
		changed, err := change(tx, &record)
		if err != nil || !changed {
			return err
		}
		record.Version = stored.Version + 1
		next = &record
		return tx.Worlds().Put(next)
	})
	if err == nil {
		w.adoptChanged(next)
	}
	return err
}
