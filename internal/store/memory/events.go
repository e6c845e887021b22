package memory

import (
	"slices"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory/compact"
)

// eventLog holds the events after pruned up to last. They are encoded, and decoded for each reader.
type eventLog struct {
	world        *world
	codec        *compact.Codec[store.Event]
	pruned, last uint64
	dropped      uint64 // the place before the first segment: events from there to pruned are kept for no reader
	segments     []segment
	types        []payments.EventType    // that events have had
	notEncoded   map[uint64]*store.Event // by place, those that could not be encoded
	// latest has the place of the latest event about the subjects whose identifier has a hash.
	latest map[uint32]uint64
	begin  struct{ pruned, last uint64 } // of the present Update
}

// A segment has segmentSize events, the last one may have fewer.
type segment struct {
	events []loggedEvent
	data   []byte // the encoded events, one after the other
}

// segmentSize makes a segment some 50 kB. The memory of pruned events is free when all of a segment are pruned.
const segmentSize = 256

// A loggedEvent is where an encoded event is, and what selects it.
type loggedEvent struct {
	before  uint64 // the place of the event before it with the same subject, which may be pruned; zero: there was none
	subject uint32 // the hash of the subject's identifier
	end     uint32 // in the segment's data
	kind    uint16 // its type's place in types
}

func newEventLog(w *world, dictionary *compact.Dictionary) *eventLog {
	return &eventLog{
		world: w, codec: compact.NewCodec[store.Event](dictionary), latest: map[uint32]uint64{},
		notEncoded: map[uint64]*store.Event{},
	}
}

// at returns the event at a place, which is after dropped.
func (l *eventLog) at(seq uint64) (of *segment, i int) {
	place := seq - l.dropped - 1
	return &l.segments[place/segmentSize], int(place % segmentSize)
}

func (l *eventLog) logged(seq uint64) loggedEvent {
	of, i := l.at(seq)
	return of.events[i]
}

// Append implements store.EventLog.
func (l *eventLog) Append(event *store.Event) (uint64, error) {
	if !l.world.writing {
		return 0, errReadOnly
	}
	if (l.last-l.dropped)%segmentSize == 0 {
		var next segment // the first one grows, since most worlds are small
		if n := len(l.segments); n > 0 {
			room := len(l.segments[n-1].data) // most are as large as the one before
			next = segment{make([]loggedEvent, 0, segmentSize), make([]byte, 0, room+room/8)}
		}
		l.segments = append(l.segments, next)
	}
	l.last++
	of := &l.segments[len(l.segments)-1]
	event.Seq = 0 // which its place tells
	data, ok := l.codec.Append(of.data, "", event)
	event.Seq = l.last
	if of.data = data; !ok {
		l.notEncoded[l.last] = event
	}
	subject := l.world.hash(event.SubjectID)
	of.events = append(of.events, loggedEvent{l.latest[subject], subject, uint32(len(data)), l.kind(event.Type)})
	l.latest[subject] = l.last
	return l.last, nil
}

// kind returns the place of a type in types.
func (l *eventLog) kind(of payments.EventType) uint16 {
	kind := slices.Index(l.types, of)
	if kind < 0 {
		kind = len(l.types)
		l.types = append(l.types, of)
	}
	return uint16(kind)
}

// read returns the event at a place, which is after dropped.
func (l *eventLog) read(seq uint64) (*store.Event, error) {
	if event := l.notEncoded[seq]; event != nil {
		return event, nil
	}
	of, i := l.at(seq)
	begin := uint32(0)
	if i > 0 {
		begin = of.events[i-1].end
	}
	event, err := l.codec.Decode(of.data[begin:of.events[i].end], "")
	if err != nil {
		return nil, err
	}
	event.Seq = seq
	return event, nil
}

// After implements store.EventLog.
func (l *eventLog) After(q store.EventQuery) ([]*store.Event, error) {
	found := []*store.Event{}
	var about []uint64
	after := max(q.After, l.pruned)
	n := max(l.last, after) - after
	if q.Subject != "" {
		about = l.about(q.Subject, after)
		n = uint64(len(about))
	}
	for i := uint64(0); i < n && len(found) < q.Limit; i++ {
		seq := after + 1 + i
		if q.Subject != "" {
			seq = about[i]
		}
		if len(q.Types) > 0 && !slices.Contains(q.Types, l.types[l.logged(seq).kind]) {
			continue
		}
		event, err := l.read(seq)
		if err != nil {
			return nil, err
		}
		if q.Subject == "" || event.SubjectID == q.Subject {
			found = append(found, event)
		}
	}
	return found, nil
}

// about returns the places of the events after a place, which is not before pruned, about subjects with the same hash.
func (l *eventLog) about(subject string, after uint64) (places []uint64) {
	for seq := l.latest[l.world.hash(subject)]; seq > after; seq = l.logged(seq).before {
		places = append(places, seq)
	}
	slices.Reverse(places)
	return places
}

// Extent implements store.EventLog.
func (l *eventLog) Extent() (store.EventExtent, error) {
	return store.EventExtent{Pruned: l.pruned, Last: l.last}, nil
}

// Prune implements store.EventLog.
func (l *eventLog) Prune(through uint64) error {
	if !l.world.writing {
		return errReadOnly
	}
	l.pruned = max(l.pruned, min(through, l.last))
	return nil
}

// commit implements undoable. It drops what was pruned.
func (l *eventLog) commit() {
	for seq := l.begin.pruned + 1; seq <= l.pruned; seq++ {
		if subject := l.logged(seq).subject; l.latest[subject] == seq {
			delete(l.latest, subject)
		}
		delete(l.notEncoded, seq)
	}
	if segments := (l.pruned - l.dropped) / segmentSize; segments > 0 {
		l.segments = slices.Delete(l.segments, 0, int(segments))
		l.dropped += segments * segmentSize
	}
	l.begin.pruned, l.begin.last = l.pruned, l.last
}

// rollBack implements undoable.
func (l *eventLog) rollBack() {
	for ; l.last > l.begin.last; l.last-- {
		of, i := l.at(l.last)
		event := of.events[i]
		if event.before > l.begin.pruned {
			l.latest[event.subject] = event.before
		} else {
			delete(l.latest, event.subject)
		}
		delete(l.notEncoded, l.last)
		if of.events = of.events[:i]; i > 0 {
			of.data = of.data[:of.events[i-1].end]
		} else {
			l.segments = l.segments[:len(l.segments)-1]
		}
	}
	l.pruned = l.begin.pruned
}
