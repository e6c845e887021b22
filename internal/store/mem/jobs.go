package mem

import (
	"container/heap"

	"github.com/payctl/payctl/internal/store"
)

// numbered is a job with its place among jobs of the same moment.
type numbered struct {
	store.Job
	seq   uint64
	place int // in the heap
}

// jobs is a priority queue, earliest first. It implements heap.Interface.
type jobs struct {
	queue []*numbered
	seq   uint64
}

func (j *jobs) number(job store.Job) *numbered {
	j.seq++
	return &numbered{Job: job, seq: j.seq}
}

func (j *jobs) add(job *numbered)    { heap.Push(j, job) }
func (j *jobs) remove(job *numbered) { heap.Remove(j, job.place) }

func (j *jobs) Len() int { return len(j.queue) }

func (j *jobs) Less(a, b int) bool { return j.queue[a].before(j.queue[b]) }

// before says whether a job runs before another.
func (n *numbered) before(other *numbered) bool {
	if c := n.At.Compare(other.At); c != 0 {
		return c < 0
	}
	return n.seq < other.seq
}

func (j *jobs) Swap(a, b int) {
	j.queue[a], j.queue[b] = j.queue[b], j.queue[a]
	j.queue[a].place, j.queue[b].place = a, b
}

// Push implements heap.Interface.
func (j *jobs) Push(x any) {
	job := x.(*numbered)
	job.place = len(j.queue)
	j.queue = append(j.queue, job)
}

// Pop implements heap.Interface.
func (j *jobs) Pop() any {
	last := len(j.queue) - 1
	job := j.queue[last]
	j.queue[last] = nil
	j.queue = j.queue[:last]
	return job
}
