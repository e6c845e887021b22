package sql

import (
	"cmp"
	"slices"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// A writeBuffer holds writes to a world that are not in the tables yet. Each update writes into a buffer of its own. If
// it succeeds, the buffer is merged into that of its transaction, otherwise it is dropped.
type writeBuffer struct {
	records map[recordKey]recordWrite
	bytes   int // of their documents
	events  []eventRow
	added   []queuedJob // in the order of their numbers
	// finished are jobs that were not added in this buffer.
	finished []queuedJob
	pruned   uint64 // the events up to this place are dropped, also from the table; 0: none
	// references has, for each reference of a buffered transfer, the least identifier that had it in this buffer. A later
	// write in the buffer may have removed the transfer or changed its reference.
	references map[string]string
}

// A recordKey is where a record of a world is kept.
type recordKey struct {
	schema *schema
	id     string
}

// A recordWrite puts or deletes a record.
type recordWrite struct {
	record   record // nil: it is deleted
	document string // the record in JSON
	replaces bool   // the table has a row of the record that schema.replaces is true for
}

// A record is what all instances of store.Record have in common.
type record interface {
	Indexed(column string) string
}

// referenceOf returns the reference of a record if it is a transfer.
func referenceOf(r record) string {
	if transfer, ok := r.(*store.Transfer); ok && transfer != nil {
		return transfer.Reference
	}
	return ""
}

// eventRow is an event as its row has it.
type eventRow struct {
	seq      uint64
	kind     payments.EventType
	subject  string
	document string
}

// A buffer that holds so many writes, or so many bytes of records, is flushed in the middle of a transaction.
const (
	maxBuffered      = 4096
	maxBufferedBytes = 2 << 20
)

func newWriteBuffer() *writeBuffer {
	return &writeBuffer{records: map[recordKey]recordWrite{}, references: map[string]string{}}
}

func (b *writeBuffer) size() int {
	return len(b.records) + len(b.events) + len(b.added) + len(b.finished)
}

func (b *writeBuffer) empty() bool { return b.size() == 0 && b.pruned == 0 }

func (b *writeBuffer) full() bool { return b.size() >= maxBuffered || b.bytes >= maxBufferedBytes }

func (b *writeBuffer) set(key recordKey, write recordWrite) {
	if reference := referenceOf(write.record); reference != "" {
		if least, known := b.references[reference]; !known || key.id < least {
			b.references[reference] = key.id
		}
	}
	if earlier, ok := b.records[key]; ok {
		b.bytes -= len(earlier.document)
		write.replaces = write.replaces && earlier.replaces
	}
	b.bytes += len(write.document)
	b.records[key] = write
}

// merge adds the writes of a later buffer, which is not used afterwards.
func (b *writeBuffer) merge(later *writeBuffer) {
	for key, write := range later.records {
		b.set(key, write)
	}
	b.events = append(b.events, later.events...)
	for _, job := range later.finished {
		b.finish(job)
	}
	b.added = append(b.added, later.added...)
	b.pruned = max(b.pruned, later.pruned)
}

// finish removes a job. One that was added in the same buffer leaves no trace.
func (b *writeBuffer) finish(job queuedJob) {
	i, added := slices.BinarySearchFunc(b.added, job.number, func(a queuedJob, number int64) int {
		return cmp.Compare(a.number, number)
	})
	if added {
		b.added = slices.Delete(b.added, i, i+1)
	} else {
		b.finished = append(b.finished, job)
	}
}
