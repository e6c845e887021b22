package sandbox

import (
	"io"

	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// follow takes over what another process made of the world: another clock, or a new life. Of two records the one with
// the greater version is the later one; a transaction that began before this process's latest change sees an earlier
// one. It returns the record that the transaction sees; the error is store.ErrNotFound where nobody has entered the world.
func (w *World) follow(tx store.Tx) (*store.World, error) {
	known, err := tx.Worlds().Get(store.WorldID)
	if err != nil || !w.worlds.config.Shared {
		return known, err
	}
	w.following.Lock()
	defer w.following.Unlock()
	mine := w.record.Load()
	switch {
	case mine == nil || known.Version <= mine.Version:
	case known.Instance == mine.Instance:
		w.clock.set(known.Clock)
		w.record.Store(known)
	default:
		ids, err := service.Greatest(tx)
		if err != nil {
			return nil, err
		}
		// A stream of the seed's own would give this process the identifiers that the other one draws.
		w.liveOn(*known, ids, func(string) io.Reader { return unforeseen() })
		w.WakeAll()
	}
	return known, nil
}
