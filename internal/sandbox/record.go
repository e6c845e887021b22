package sandbox

import (
	"context"
	"io"

	"github.com/payctl/payctl/internal/store"
)

// loadRecord reads the world's record in a transaction. It also takes over what other processes changed: the clock, the
// faults, or the whole instance. Of two records the one with the greater version is the later one; a transaction that
// began before this process's latest change reads an earlier one. The error is store.ErrNotFound for a world that was
// never entered.
func (w *World) loadRecord(tx store.Tx) (*store.World, error) {
	stored, err := tx.Worlds().Get(store.WorldID)
	if known := w.record.Load(); err != nil || known != nil && stored.Version <= known.Version {
		return stored, err
	}
	w.loading.Lock()
	defer w.loading.Unlock()
	known := w.record.Load()
	switch {
	case known == nil || stored.Version <= known.Version:
	case stored.Instance == known.Instance:
		w.setRecord(stored)
	default:
		// A stream of the seed would give this process the same identifiers that the other one draws.
		w.beginInstance(stored, func(string) io.Reader { return unpredictable() })
		w.WakeAll()
	}
	return stored, nil
}

// storedRecord is loadRecord in a transaction of its own.
func (w *World) storedRecord(ctx context.Context) (record *store.World, err error) {
	err = w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		record, err = w.loadRecord(tx)
		return err
	})
	return record, err
}

// setRecord replaces the record in memory, and the clock with it. Calling undo brings the ones before back.
func (w *World) setRecord(record *store.World) (undo func()) {
	before, clock := w.record.Load(), w.clock.state.Load()
	w.clock.set(record.Clock)
	w.record.Store(record)
	return func() {
		w.record.Store(before)
		w.clock.state.Store(clock)
	}
}

// beginInstance is setRecord for another instance of the world: identifiers and faults are drawn anew.
func (w *World) beginInstance(record *store.World, random func(purpose string) io.Reader) (undo func()) {
	parts := []func(){
		w.ids.Restart(random(purposeIDs)),
		w.requestRandom.replace(random(purposeRequests)),
		w.faultRandom.replace(random(purposeFaults)),
		w.setRecord(record),
	}
	return func() {
		for _, undo := range parts {
			undo()
		}
	}
}

// seeded returns the random streams of an instance, for beginInstance.
func (w *World) seeded(record *store.World) func(purpose string) io.Reader {
	return func(purpose string) io.Reader { return w.worlds.random(w.client, purpose, record.Generation) }
}

// putRecord stores a changed record in a transaction, and uses it at once, so that no other transaction sees the change
// half-made. It sets undo, which the caller calls when the transaction fails.
func (w *World) putRecord(tx store.Tx, record *store.World, undo *func()) error {
	record.Version++
	if err := tx.Worlds().Put(record); err != nil {
		return err
	}
	*undo = w.setRecord(record)
	return nil
}

// changeRecord changes a copy of the world's record, and stores it unless change reports that it stays as it is.
func (w *World) changeRecord(ctx context.Context, change func(*store.World) (changed bool)) error {
	if err := w.changing.acquire(ctx); err != nil {
		return err
	}
	defer w.changing.release()
	undo := func() {}
	err := w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		stored, err := w.loadRecord(tx)
		if err != nil {
			return err
		}
		record := *stored
		if !change(&record) {
			return nil
		}
		return w.putRecord(tx, &record, &undo)
	})
	if err != nil {
		undo()
	}
	return err
}
