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
		if err := tx.write(change{by: cleared[table[T, P]]{t}, before: *t}); err != nil {
			return err
		}
		*t = *newTable[T, P](t.columns)
		return nil
	}
}

// cleared puts back what there was.
type cleared[T any] struct{ at *T }

func (c cleared[T]) undo(was change) { *c.at = was.before.(T) }
