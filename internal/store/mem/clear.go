package mem

import "github.com/payctl/payctl/internal/store"

// Clear empties the tables in place, since views of this transaction hold them.
func (t *tx) Clear() error {
	w := t.world
	if err := t.write(change{by: cleared[jobs]{&w.jobs}, before: w.jobs}); err != nil {
		return err
	}
	w.jobs = newJobs(w.jobs.seq)
	if err := t.events.clear(); err != nil {
		return err
	}
	none := newWorld()
	for _, empty := range []func(*tx) error{
		emptied(w.accounts, none.accounts), emptied(w.contacts, none.contacts), emptied(w.transfers, none.transfers),
		emptied(w.keys, none.keys), emptied(w.clients, none.clients), emptied(w.tokens, none.tokens), emptied(w.worlds, none.worlds),
	} {
		if err := empty(t); err != nil {
			return err
		}
	}
	t.look()
	return nil
}

// emptied makes a table as one that has nothing.
func emptied[T any, P store.Record[T]](t, none *table[T, P]) func(*tx) error {
	return func(tx *tx) error {
		if err := tx.write(change{by: cleared[table[T, P]]{t}, before: *t}); err != nil {
			return err
		}
		*t = *none
		return nil
	}
}

// cleared puts back what there was.
type cleared[T any] struct{ at *T }

func (c cleared[T]) undo(was change) { *c.at = was.before.(T) }
