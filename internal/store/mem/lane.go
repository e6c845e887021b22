package mem

import (
	"slices"

	"github.com/payctl/payctl/internal/store"
)

// A lane holds jobs of one kind in the order in which they will run. Most come in that order, since each is due as long after
// it was made as the one before: then adding one is adding it at the end, and all leave at the front.
type lane struct {
	kind   store.JobKind
	blocks [][]numbered // none is empty, but the only one
	gone   int          // how many of the first block have left
}

// blockSize is how many jobs are added to a block at the most.
const blockSize = 64

// first is the job that runs next; nil when there is none.
func (l *lane) first() *numbered {
	if len(l.blocks) == 0 || l.gone == len(l.blocks[0]) {
		return nil
	}
	return &l.blocks[0][l.gone]
}

// last is the job that runs last; nil when there is none.
func (l *lane) last() *numbered {
	if l.first() == nil {
		return nil
	}
	block := l.blocks[len(l.blocks)-1]
	return &block[len(block)-1]
}

// push adds a job at the end. Ok is false, and the job not added, when it is to run before the last one.
func (l *lane) push(job numbered) (ok bool) {
	if last := l.last(); last != nil && job.before(last) {
		return false
	}
	at := len(l.blocks) - 1
	if at < 0 || len(l.blocks[at]) >= blockSize {
		var block []numbered
		if at >= 0 { // there are many
			block = make([]numbered, 0, blockSize)
		}
		l.blocks = append(l.blocks, block)
		at++
	}
	l.blocks[at] = append(l.blocks[at], job)
	return true
}

// unpush takes the last job away.
func (l *lane) unpush() {
	at := len(l.blocks) - 1
	end := len(l.blocks[at]) - 1
	l.blocks[at][end] = numbered{} // lets go of its texts
	l.blocks[at] = l.blocks[at][:end]
	if end == 0 && at > 0 {
		l.blocks = l.blocks[:at]
	}
}

// pop takes the first job away.
func (l *lane) pop() {
	*l.first() = numbered{} // lets go of its texts
	l.gone++
	switch {
	case l.gone < len(l.blocks[0]):
	case len(l.blocks) == 1:
		l.blocks[0], l.gone = l.blocks[0][:0], 0
	default:
		l.blocks, l.gone = l.blocks[1:], 0
	}
}

// unpop puts the job back that left last.
func (l *lane) unpop(job numbered) {
	switch {
	case l.first() == nil:
		l.blocks[0], l.gone = append(l.blocks[0][:0], job), 0
		return
	case l.gone == 0: // its block is gone
		l.blocks, l.gone = slices.Insert(l.blocks, 0, make([]numbered, blockSize)), blockSize
	}
	l.gone--
	l.blocks[0][l.gone] = job
}
