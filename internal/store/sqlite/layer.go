package sqlite

import (
	"time"

	"github.com/payctl/payctl/internal/store"
)

// A layer is what was written but is not in the tables yet. Updates write into a layer of their own, which joins that of
// their batch when they succeed and is dropped when they are refused; the batch's is flushed when it commits. What is
// written several times in a batch is so written once, and what comes and goes in it never.
type layer struct {
	records []*change // in the order in which they were first written
	places  map[place]int
	worlds  map[string]*happenings
}

// A change is what becomes of a record.
type change struct {
	at       place
	record   record // nil: it is deleted
	document *document
}

// A record is what a store.Record is to whoever does not know its kind.
type record interface {
	Created() time.Time
	Indexed(column string) string
}

// happenings are what a layer has for a world beside records.
type happenings struct {
	events   []*logged
	jobs     map[jobKey]queued
	counters *counters // nil: as they were
}

// A logged event is one as it goes into its table.
type logged struct {
	*store.Event
	document document
}

func newLogged(event *store.Event) *logged {
	return &logged{event, document{append: func(b []byte) []byte { return appendEvent(b, event) }}}
}

// queued is what becomes of a job.
type queued struct {
	numbered
	finished bool // it goes, else it comes
}

// large is how many writes a layer holds at most, or a little more.
const large = 4096

func newLayer() *layer {
	return &layer{places: map[place]int{}, worlds: map[string]*happenings{}}
}

func (l *layer) empty() bool { return len(l.records) == 0 && len(l.worlds) == 0 }

// full says that the layer should be flushed before it takes more memory.
func (l *layer) full() bool { return l.size() >= large }

// size is how many writes the layer holds.
func (l *layer) size() int {
	size := len(l.records)
	for _, h := range l.worlds {
		size += len(h.events) + len(h.jobs)
	}
	return size
}

// get is what becomes of a record; nil: the layer has nothing of it.
func (l *layer) get(at place) *change {
	if i, ok := l.places[at]; ok {
		return l.records[i]
	}
	return nil
}

// set writes a record.
func (l *layer) set(c *change) {
	if i, ok := l.places[c.at]; ok {
		l.records[i] = c
		return
	}
	l.places[c.at] = len(l.records)
	l.records = append(l.records, c)
}

// documents are all that the layer has.
func (l *layer) documents() (all []*document) {
	for _, c := range l.records {
		if c.document != nil {
			all = append(all, c.document)
		}
	}
	for _, h := range l.worlds {
		for _, e := range h.events {
			all = append(all, &e.document)
		}
	}
	return all
}

// of is what the layer has for a world.
func (l *layer) of(world string) *happenings {
	h := l.worlds[world]
	if h == nil {
		h = &happenings{jobs: map[jobKey]queued{}}
		l.worlds[world] = h
	}
	return h
}

// join adds what a later layer holds, which is not used any more.
func (l *layer) join(later *layer) {
	for _, c := range later.records {
		l.set(c)
	}
	for world, h := range later.worlds {
		known := l.worlds[world]
		if known == nil {
			l.worlds[world] = h
			continue
		}
		known.events = append(known.events, h.events...)
		for _, job := range h.jobs {
			known.queue(job)
		}
		if h.counters != nil {
			known.counters = h.counters
		}
	}
}

// queue adds or finishes a job. One that comes and goes in the same layer leaves no trace.
func (h *happenings) queue(job queued) {
	if known, ok := h.jobs[job.key()]; ok && job.finished && !known.finished {
		delete(h.jobs, job.key())
		return
	}
	h.jobs[job.key()] = job
}
