package mem

import "github.com/payctl/payctl/internal/store"

// Clear empties the tables in place, since views of this transaction hold them.
func (t *tx) Clear() error {
	w, before := t.world, t.world.jobs
	if err := t.write(func() { w.jobs = before }); err != nil {
		return err
	}
	w.jobs = newJobs(before.seq)
	if err := t.events.clear(); err != nil {
		return err
	}
	for _, empty := range []func(*tx) error{
		emptied(w.accounts), emptied(w.contacts), emptied(w.transfers), emptied(w.keys), emptied(w.clients), emptied(w.tokens), emptied(w.worlds),
	} {
		if err := empty(t); err != nil {
			return err
		}
	}
	return nil
}

// emptied empties a table.
func emptied[T any, P store.Record[T]](t *table[T, P]) func(*tx) error {
	return func(tx *tx) error {
		before := *t
		if err := tx.write(func() { *t = before }); err != nil {
			return err
		}
		*t = *newTable[T, P](before.columns)
		return nil
	}
}
