package mem

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// Clear empties the tables in place, since views of this transaction hold them.
func (t *tx) Clear() error {
	w, before := t.world, t.world.jobs
	if err := t.write(func() { w.jobs = before }); err != nil {
		return err
	}
	w.jobs = jobs{seq: before.seq}
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
func emptied[T store.Record](t *table[T]) func(*tx) error {
	return func(tx *tx) error {
		before := *t
		if err := tx.write(func() { *t = before }); err != nil {
			return err
		}
		*t = *newTable[T](before.columns)
		return nil
	}
}

func (t *tx) Jobs() ([]store.Job, error) {
	ordered := slices.Clone(t.world.jobs.queue)
	slices.SortFunc(ordered, func(a, b *numbered) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	list := make([]store.Job, 0, len(ordered))
	for _, job := range ordered {
		list = append(list, job.Job)
	}
	return list, nil
}
