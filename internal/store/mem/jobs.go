package mem

import (
	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// numbered is a job with its place among jobs of the same moment.
type numbered struct {
	store.Job
	seq uint64
}

// before says whether a job runs before another.
func (n numbered) before(other numbered) bool {
	if c := n.At.Compare(other.At); c != 0 {
		return c < 0
	}
	return n.seq < other.seq
}

// jobs are the jobs of a world, earliest first. Most are added at the end of their kind, and all leave at the front.
type jobs struct {
	queue *btree.BTreeG[numbered]
	seq   uint64
	// places remember for each kind where its last job was put, which is about where the next will be.
	places map[store.JobKind]*btree.PathHint
}

func newJobs(seq uint64) jobs {
	// The world's lock orders what is done to it.
	return jobs{btree.NewBTreeGOptions(numbered.before, btree.Options{NoLocks: true}), seq, map[store.JobKind]*btree.PathHint{}}
}

func (j *jobs) add(job numbered) {
	place := j.places[job.Kind]
	if place == nil {
		place = &btree.PathHint{}
		j.places[job.Kind] = place
	}
	j.queue.SetHint(job, place)
}

func (t *tx) Schedule(job store.Job) error {
	j := &t.world.jobs
	j.seq++
	added := numbered{job, j.seq}
	if err := t.write(change{by: scheduled{j}, job: added}); err != nil {
		return err
	}
	j.add(added)
	return nil
}

func (t *tx) NextJob() (store.Job, error) {
	first, ok := t.world.jobs.queue.Min()
	if !ok {
		return store.Job{}, store.ErrNotFound
	}
	return first.Job, nil
}

func (t *tx) FinishJob() error {
	j := &t.world.jobs
	first, ok := j.queue.Min()
	if !ok {
		return store.ErrNotFound
	}
	if err := t.write(change{by: finished{j}, job: first}); err != nil {
		return err
	}
	j.queue.PopMin()
	return nil
}

func (t *tx) Jobs() ([]store.Job, error) {
	list := make([]store.Job, 0, t.world.jobs.queue.Len())
	t.world.jobs.queue.Scan(func(job numbered) bool {
		list = append(list, job.Job)
		return true
	})
	return list, nil
}

// scheduled and finished take back what they say.
type (
	scheduled struct{ *jobs }
	finished  struct{ *jobs }
)

func (s scheduled) undo(c change) { s.queue.Delete(c.job) }

func (f finished) undo(c change) { f.add(c.job) }
