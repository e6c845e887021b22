package mem

import (
	"slices"

	"github.com/tidwall/btree"

	"github.com/payctl/payctl/internal/store"
)

// numbered is a job with its place among jobs of the same moment.
type numbered struct {
	store.Job
	seq uint64
}

// before says whether a job runs before another.
func (n *numbered) before(other *numbered) bool {
	if c := n.At.Compare(other.At); c != 0 {
		return c < 0
	}
	return n.seq < other.seq
}

// jobs are the jobs of a world.
type jobs struct {
	lanes  []*lane
	others *btree.BTreeG[numbered] // that did not come in their lane's order
	seq    uint64
}

func newJobs(seq uint64) jobs {
	// The world's lock orders what is done to it.
	return jobs{others: btree.NewBTreeGOptions(func(a, b numbered) bool { return a.before(&b) }, btree.Options{NoLocks: true}), seq: seq}
}

// lane is that of a kind of job.
func (j *jobs) lane(kind store.JobKind) *lane {
	for _, l := range j.lanes {
		if l.kind == kind {
			return l
		}
	}
	l := &lane{kind: kind}
	j.lanes = append(j.lanes, l)
	return l
}

func (j *jobs) add(job numbered) {
	if !j.lane(job.Kind).push(job) {
		j.others.Set(job)
	}
}

// first is the earliest job, and the lane that it is in; nil when it is in none.
func (j *jobs) first() (job numbered, in *lane, ok bool) {
	var earliest *numbered
	for _, l := range j.lanes {
		if next := l.first(); next != nil && (earliest == nil || next.before(earliest)) {
			earliest, in = next, l
		}
	}
	if other, some := j.others.Min(); some && (earliest == nil || other.before(earliest)) {
		return other, nil, true
	}
	if earliest == nil {
		return numbered{}, nil, false
	}
	return *earliest, in, true
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
	first, _, ok := t.world.jobs.first()
	if !ok {
		return store.Job{}, store.ErrNotFound
	}
	return first.Job, nil
}

func (t *tx) FinishJob() error {
	j := &t.world.jobs
	first, in, ok := j.first()
	if !ok {
		return store.ErrNotFound
	}
	if in != nil {
		if err := t.write(change{by: left{in}, job: first}); err != nil {
			return err
		}
		in.pop()
		return nil
	}
	if err := t.write(change{by: finished{j}, job: first}); err != nil {
		return err
	}
	j.others.PopMin()
	return nil
}

func (t *tx) Jobs() ([]store.Job, error) {
	j := &t.world.jobs
	all := j.others.Items()
	for _, l := range j.lanes {
		for i, block := range l.blocks {
			if i == 0 {
				block = block[l.gone:]
			}
			all = append(all, block...)
		}
	}
	slices.SortFunc(all, func(a, b numbered) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	list := make([]store.Job, len(all))
	for i, job := range all {
		list[i] = job.Job
	}
	return list, nil
}

// scheduled, left and finished take back that a job was added, that it left its lane, and that it left the others.
type (
	scheduled struct{ *jobs }
	left      struct{ *lane }
	finished  struct{ *jobs }
)

func (s scheduled) undo(c change) {
	l := s.lane(c.job.Kind)
	if last := l.last(); last != nil && last.seq == c.job.seq {
		l.unpush()
	} else {
		s.others.Delete(c.job)
	}
}

func (l left) undo(c change) { l.unpop(c.job) }

func (f finished) undo(c change) { f.others.Set(c.job) }
