package sandbox

import (
	"errors"
	"io"

	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// follow takes over what another process made of the world: another clock, or a new life. Of two records the one with
// the greater version is the later one; a transaction that began before this process's latest change sees an earlier
// one.
func (w *World) follow(tx store.Tx) error {
	if !w.worlds.config.Shared {
		return nil
	}
	known, err := tx.Worlds().Get(store.WorldID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // nobody has entered it
	}
	if err != nil {
		return err
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
			return err
		}
		// A stream of the seed's own would give this process the identifiers that the other one draws.
		w.liveOn(*known, ids, func(string) io.Reader { return unforeseen() })
		w.WakeAll()
	}
	return nil
}
