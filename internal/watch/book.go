package watch

import (
	"slices"
	"sync"
	"time"
)

// A Standing is how a subject stood when the watch ended.
type Standing struct {
	ID, Status string
	// Why says in words why it has that status; may be empty.
	Why string
}

// A Summary is how a watch ended, each list in the order in which the subjects were met.
type Summary struct {
	Reached, Badly, Waiting []Standing
	// Changes is how many changes there were, the first state of each subject not counted.
	Changes int
}

// An entry is what is known of a subject.
type entry struct {
	id      string
	status  string
	why     string
	told    bool // its first state was told
	verdict Verdict
	since   time.Time // it has that status
	seen    int       // the round of listing that it was last seen in
	absent  int       // how often in a row it was not there
}

// done says that it is followed no further.
func (e *entry) done() bool { return e.verdict != Waiting }

// A book keeps what is known of all subjects and tells of what changes, one change at a time.
type book struct {
	goal     Goal
	failFast bool
	each     func(Change) error

	mu      sync.Mutex
	entries map[string]*entry
	order   []*entry
	waiting int
	changes int
	round   int // of listing; only who lists changes it
}

// add begins to follow a subject.
func (b *book) add(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ensure(id)
}

func (b *book) ensure(id string) *entry {
	if known := b.entries[id]; known != nil {
		return known
	}
	e := &entry{id: id}
	b.entries[id] = e
	b.order = append(b.order, e)
	b.waiting++
	return e
}

// see remembers that a subject was listed in this round, and begins to follow it.
func (b *book) see(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.ensure(id)
	e.seen, e.absent = b.round, 0
}

// there notes that a subject is there as it was.
func (b *book) there(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[id]; e != nil {
		e.absent = 0
	}
}

// find returns what is known of a subject; a zero entry when it is not followed.
func (b *book) find(id string) (known entry, followed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[id]; e != nil {
		return *e, true
	}
	return entry{}, false
}

// drop ends following a subject that is no more.
func (b *book) drop(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[id]; e != nil {
		delete(b.entries, id)
		b.order = slices.DeleteFunc(b.order, func(other *entry) bool { return other == e })
		if !e.done() {
			b.waiting--
		}
	}
}

// mostAbsent is how often in a row something that was there has to be missing to be believed to be no more: what stands
// before a service that is being replaced may say so of everything.
const mostAbsent = 3

// missed notes that a subject was not there. Gone says that this is now believed: what is waited for will not come to be. The
// error is errDone when the watch is over.
func (b *book) missed(id string) (gone bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[id]
	if e == nil || e.done() {
		return false, nil
	}
	if e.absent++; e.absent < mostAbsent {
		return false, nil
	}
	e.verdict, e.why = Badly, "the service does not have it any more"
	b.waiting--
	if b.failFast {
		return true, errDone
	}
	return true, nil
}

// tell takes in a state, and tells of it when it is news. The error is errDone when the watch is over.
func (b *book) tell(state State) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.ensure(state.ID)
	e.absent = 0
	if e.done() || e.told && e.status == state.Status {
		return nil
	}
	change := Change{State: state, Verdict: b.goal.Judge(state.Status)}
	if e.told {
		from := e.status
		change.From = &from
		b.changes++
	}
	e.told, e.status, e.since, e.why, e.verdict = true, state.Status, state.Since, state.Why(), change.Verdict
	if err := b.each(change); err != nil {
		return &ownError{err}
	}
	if e.done() {
		b.waiting--
	}
	if b.failFast && e.verdict == Badly {
		return errDone
	}
	return nil
}

// over says whether nothing is waited for any more.
func (b *book) over() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting == 0 && !b.goal.Endless()
}

// open returns the subjects that are followed still.
func (b *book) open() []string {
	return b.ids(func(known *entry) bool { return !known.done() })
}

// ids returns the subjects that fulfil a condition.
func (b *book) ids(where func(*entry) bool) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []string
	for _, e := range b.order {
		if where(e) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

func (b *book) summary() Summary {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Summary{Changes: b.changes}
	for _, e := range b.order {
		standing := Standing{e.id, e.status, e.why}
		switch e.verdict {
		case Reached:
			s.Reached = append(s.Reached, standing)
		case Badly:
			s.Badly = append(s.Badly, standing)
		default:
			s.Waiting = append(s.Waiting, standing)
		}
	}
	return s
}
