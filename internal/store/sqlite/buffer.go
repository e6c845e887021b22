package sqlite

import (
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A writeBuffer holds what was written and is not in the tables yet. Each update writes into a buffer of its own. If
// the update succeeds the buffer is merged into that of its batch, otherwise it is dropped.
type writeBuffer struct {
	records []*recordWrite // in the order in which they were first written
	bytes   int            // of their documents
	index   map[recordKey]int
	worlds  map[string]*worldWrites
	// references has, for each reference of a buffered transfer, the least identifier that had it in this buffer. A later
	// write in the buffer may have removed the transfer or changed its reference.
	references map[worldReference]string
}

// A worldReference is a transfer's reference in a world.
type worldReference struct{ world, reference string }

// A recordKey is where a record is kept.
type recordKey struct {
	schema    *schema
	world, id string
}

// A recordWrite puts or deletes a record.
type recordWrite struct {
	key      recordKey
	record   record // nil: it is deleted
	document string // the record in JSON
}

// A record is what all instances of store.Record have in common.
type record interface {
	Created() time.Time
	Indexed(column string) string
}

// worldWrites are the writes to a world besides those of records.
type worldWrites struct {
	events   []eventRow
	jobs     map[jobKey]jobWrite
	counters *counters // nil: unchanged
}

// eventRow is an event as its row has it.
type eventRow struct {
	seq      uint64
	kind     payments.EventType
	subject  string
	document string
}

// A jobWrite adds a job, or removes it.
type jobWrite struct {
	queuedJob
	finished bool
}

// A buffer that holds so many writes, or so many bytes of records, is flushed in the middle of a transaction. A record
// takes some 2 KiB, but may have a megabyte: then the time that it takes to write it counts for Writer.MaxAge.
const (
	maxBuffered      = 4096
	maxBufferedBytes = 2 << 20
)

func newWriteBuffer() *writeBuffer {
	return &writeBuffer{index: map[recordKey]int{}, worlds: map[string]*worldWrites{}}
}

func (b *writeBuffer) empty() bool { return len(b.records) == 0 && len(b.worlds) == 0 }

func (b *writeBuffer) full() bool { return b.size() >= maxBuffered || b.bytes >= maxBufferedBytes }

// size is how many writes the buffer holds.
func (b *writeBuffer) size() int {
	size := len(b.records)
	for _, w := range b.worlds {
		size += len(w.events) + len(w.jobs)
	}
	return size
}

// get is the write of a record; nil: the buffer has none.
func (b *writeBuffer) get(key recordKey) *recordWrite {
	if i, ok := b.index[key]; ok {
		return b.records[i]
	}
	return nil
}

func (b *writeBuffer) set(write *recordWrite) {
	b.noteReference(write)
	b.bytes += len(write.document)
	if i, ok := b.index[write.key]; ok {
		b.bytes -= len(b.records[i].document)
		b.records[i] = write
		return
	}
	b.index[write.key] = len(b.records)
	b.records = append(b.records, write)
}

func (b *writeBuffer) noteReference(write *recordWrite) {
	transfer, ok := write.record.(*store.Transfer)
	if !ok || transfer.Reference == "" {
		return
	}
	if b.references == nil {
		b.references = map[worldReference]string{}
	}
	at := worldReference{write.key.world, transfer.Reference}
	if least, known := b.references[at]; !known || write.key.id < least {
		b.references[at] = write.key.id
	}
}

func (b *writeBuffer) world(name string) *worldWrites {
	w := b.worlds[name]
	if w == nil {
		w = &worldWrites{jobs: map[jobKey]jobWrite{}}
		b.worlds[name] = w
	}
	return w
}

// merge adds the writes of a later buffer, which is not used afterwards.
func (b *writeBuffer) merge(later *writeBuffer) {
	for _, write := range later.records {
		b.set(write)
	}
	for name, writes := range later.worlds {
		w := b.world(name)
		w.events = append(w.events, writes.events...)
		for _, job := range writes.jobs {
			w.setJob(job)
		}
		if writes.counters != nil {
			w.counters = writes.counters
		}
	}
}

// setJob adds or finishes a job. A job that is added and finished in the same buffer leaves no trace.
func (w *worldWrites) setJob(job jobWrite) {
	if known, ok := w.jobs[job.key()]; ok && job.finished && !known.finished {
		delete(w.jobs, job.key())
		return
	}
	w.jobs[job.key()] = job
}
