package sandbox

import (
	"context"
	"io"

	"github.com/payctl/payctl/internal/store"
)

// loadRecord reads the world's record in a transaction. Where other processes use the store, it also takes over what
// they changed: the clock, the faults, or the whole instance. The error is store.ErrNotFound for a world that was never
// entered.
func (w *World) loadRecord(tx store.Tx) (*store.World, error) {
	stored, err := tx.Worlds().Get(store.WorldID)
	if err == nil && w.worlds.config.Shared && w.record.Load() != nil {
		// A stream of the seed would give this process the same identifiers that the other one draws.
		w.adopt(stored, func(string) io.Reader { return unpredictable() })
	}
	return stored, err
}

// storedRecord is loadRecord in a transaction of its own.
func (w *World) storedRecord(ctx context.Context) (record *store.World, err error) {
	err = w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		record, err = w.loadRecord(tx)
		return err
	})
	return record, err
}

// adopt uses a record that is committed, unless it knows a later one, which has a greater version. In another instance
// of the world, identifiers and faults are drawn from other streams.
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

// adoptOwn is adopt for a record that this process has changed; nil: it has changed nothing.
func (w *World) adoptOwn(record *store.World) {
	if record != nil {
		w.adopt(record, func(purpose string) io.Reader { return w.worlds.random(w.client, purpose, record.Generation) })
	}
}

// changeRecord changes a copy of the world's record in a transaction, and stores it unless change reports that it stays
// as it is. It is used once it is committed.
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
		w.adoptOwn(next)
	}
	return err
}
