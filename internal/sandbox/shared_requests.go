package sandbox

import (
	"context"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// This file makes one request log of those of several servers with one store. Before a server sends the response to a
// request whose entry waits in its memory, the store has an empty batch that announces the entry. So a server that
// reads the log knows who has entries that are not stored, marks those batches as wanted, and waits until they are
// stored. Then all entries get their numbers, in the order in which the requests ended.
const (
	// announceTimeout bounds how long a response waits for its announcement. Without it the log may lack the entry for up
	// to storeRequestsAfter.
	announceTimeout = time.Second
	// gatherTimeout bounds how long a reader of the log waits for servers. One that lives needs the tenth of it.
	gatherTimeout = 2 * time.Second
	// unnumberedFor is how long entries stay without a number if no client reads the log: every server that lives has
	// stored those that ended before. An announcement that is as old is of a server that was killed.
	unnumberedFor = 10 * time.Second
	// numberedPerUpdate is how many batches get numbers when another one is stored, of which there is one usually.
	numberedPerUpdate = 4
)

// announceRequests stores an empty batch for the entries that wait, unless there is one. If it fails, it is not tried
// again for these entries, as each request would wait for that.
func (w *World) announceRequests() {
	b := &w.requests
	ctx, cancel := context.WithTimeout(context.Background(), announceTimeout)
	defer cancel()
	if b.storing.acquire(ctx, announceTimeout) != nil {
		return
	}
	defer b.storing.release()
	b.mu.Lock()
	needed, instance := b.batch == "" && len(b.entries) > 0, b.instance
	batch := &store.UnnumberedRequests{ID: store.NewUnnumberedID(w.clock.machine()), Waiting: true}
	if needed {
		b.batch = batch.ID
	}
	b.mu.Unlock()
	if !needed {
		return
	}
	_ = w.updateRequests(ctx, instance, func(tx store.Tx, now time.Time) error {
		return tx.Requests().Put(&store.RequestBatch{At: now, Unnumbered: batch})
	})
}

// requestsAreWanted reports whether another server waits for the entries of this one.
func (w *World) requestsAreWanted() (wanted bool) {
	w.requests.mu.Lock()
	batch := w.requests.batch
	w.requests.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	_ = w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error { // the next change asks again
		found, err := tx.Requests().Get(batch)
		wanted = err == nil && found.Unnumbered.Wanted
		return err
	})
	return wanted
}

// storeUnnumbered stores entries in the batch that has announced them, and gives those that have waited for long their
// numbers.
func (w *World) storeUnnumbered(
	tx store.Tx, id string, entries []loggedRequest, dropped int, now time.Time,
) error {
	machine := w.clock.machine()
	if id == "" {
		id = store.NewUnnumberedID(machine)
	}
	batch := &store.RequestBatch{At: now, Unnumbered: &store.UnnumberedRequests{ID: id, Dropped: dropped}}
	for _, entry := range entries {
		batch.Requests = append(batch.Requests, entry.storable())
		batch.Unnumbered.Ended = append(batch.Unnumbered.Ended, entry.ended)
	}
	if err := tx.Requests().Put(batch); err != nil {
		return err
	}
	old := store.Query{Before: store.UnnumberedBefore(machine.Add(-unnumberedFor)), Limit: numberedPerUpdate}
	batches, err := listUnnumbered(tx, old)
	if err != nil {
		return err
	}
	return w.numberRequests(tx, batches, now)
}

// listUnnumbered lists batches whose entries have no numbers.
func listUnnumbered(tx store.Tx, q store.Query) ([]*store.RequestBatch, error) {
	batches, err := tx.Requests().List(q)
	return slices.DeleteFunc(slices.Clone(batches), func(b *store.RequestBatch) bool { return b.Unnumbered == nil }), err
}

// numberRequests gives the entries of batches their numbers. It removes announcements of servers that were killed.
func (w *World) numberRequests(tx store.Tx, batches []*store.RequestBatch, now time.Time) error {
	killed := store.UnnumberedBefore(w.clock.machine().Add(-unnumberedFor))
	var entries []loggedRequest
	dropped := 0
	for _, batch := range batches {
		if batch.Unnumbered.Waiting && batch.Unnumbered.ID >= killed {
			continue
		}
		for i, r := range batch.Requests {
			entries = append(entries, loggedRequest{SandboxRequest: r, ended: batch.Unnumbered.Ended[i]})
		}
		dropped += batch.Unnumbered.Dropped
		if err := tx.Requests().Delete(batch.RecordID()); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	slices.SortStableFunc(entries, func(a, b loggedRequest) int { return a.ended.Compare(b.ended) })
	extra := max(len(entries)-keptRequests, 0)
	return appendRequests(tx, entries[extra:], dropped+extra, now)
}

// gatherRequests stores all entries of requests that were answered before, also those of other servers, and gives them
// their numbers.
func (w *World) gatherRequests(ctx context.Context) error {
	if err := w.storeRequests(ctx); err != nil || !w.worlds.config.Shared {
		return err
	}
	changed, stop := w.worlds.config.Store.Watch(w.client)
	defer stop()
	timer := time.NewTimer(gatherTimeout)
	defer timer.Stop()
	var awaited []string // batches that other servers have announced
	for first, late := true, false; ; first = false {
		err := w.updateRequests(ctx, w.Instance(), func(tx store.Tx, now time.Time) error {
			batches, err := listUnnumbered(tx, store.Query{Limit: keptRequests})
			if err != nil {
				return err
			}
			waiting, err := w.wantRequests(tx, batches, first)
			if first {
				awaited = waiting
			}
			awaited = slices.DeleteFunc(awaited, func(id string) bool { return !slices.Contains(waiting, id) })
			if err != nil || len(awaited) > 0 && !late {
				return err
			}
			return w.numberRequests(tx, batches, now)
		})
		if err != nil || len(awaited) == 0 || late {
			return err
		}
		select {
		case <-changed:
		case <-timer.C:
			late = true
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wantRequests returns the announcements of other servers among batches. If it is to, it asks these servers to store
// the entries.
func (w *World) wantRequests(tx store.Tx, batches []*store.RequestBatch, ask bool) (waiting []string, err error) {
	killed := store.UnnumberedBefore(w.clock.machine().Add(-unnumberedFor))
	w.requests.mu.Lock()
	own := w.requests.batch // of requests that were answered meanwhile
	w.requests.mu.Unlock()
	for _, batch := range batches {
		if !batch.Unnumbered.Waiting || batch.Unnumbered.ID < killed || batch.Unnumbered.ID == own {
			continue
		}
		waiting = append(waiting, batch.Unnumbered.ID)
		if ask {
			wanted := *batch.Unnumbered
			wanted.Wanted = true
			if err := tx.Requests().Put(&store.RequestBatch{At: batch.At, Unnumbered: &wanted}); err != nil {
				return nil, err
			}
		}
	}
	return waiting, nil
}
