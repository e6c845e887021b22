package follow

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// A SubjectResult is the last known status of a subject when the watch ended.
type SubjectResult struct {
	ID, Status string
	// Why explains the status in words; it may be empty.
	Why string
}

// A Summary is how a watch ended. Each list is in the order in which the subjects were first seen.
type Summary struct {
	Reached, Failed, Waiting []SubjectResult
	// Changes is the number of changes. The first status of a subject is not one.
	Changes int
}

// errStop ends a watch that has nothing left to wait for. Engine.Run does not return it.
var errStop = errors.New("follow: finished")

// A subject is what the tracker knows of one subject.
type subject struct {
	id       string
	reported bool // its first status was reported
	status   string
	since    time.Time // when it got the status
	why      string
	verdict  Verdict
	notFound int // how many reads in a row did not find it
}

// isDecided reports whether the subject is not followed any more.
func (s *subject) isDecided() bool { return s.verdict != Waiting }

// A tracker knows the subjects of a watch and reports their changes, one at a time. It is safe for concurrent use.
type tracker struct {
	goal     Goal
	failFast bool
	report   func(Change) error

	mu      sync.Mutex
	byID    map[string]*subject
	order   []*subject
	waiting int // subjects that are not finished
	changes int
}

// add starts to follow a subject, unless it is followed already.
func (t *tracker) add(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subject(id)
}

func (t *tracker) subject(id string) *subject {
	s := t.byID[id]
	if s == nil {
		s = &subject{id: id}
		t.byID[id] = s
		t.order = append(t.order, s)
		t.waiting++
	}
	return s
}

// find returns a copy of what is known of a subject.
func (t *tracker) find(id string) (known subject, followed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		return *s, true
	}
	return subject{}, false
}

// remove forgets a subject.
func (t *tracker) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil {
		return
	}
	delete(t.byID, id)
	t.order = slices.DeleteFunc(t.order, func(other *subject) bool { return other == s })
	if !s.isDecided() {
		t.waiting--
	}
}

// mostNotFound is how many 404 in a row mean that a subject has been deleted. One is not enough: a proxy may answer
// 404 to everything while the service behind it restarts.
const mostNotFound = 3

// notFound records a 404. After mostNotFound in a row the subject counts as deleted and fails; deleted is then true.
// The error is errFinished when that ends the watch.
func (t *tracker) notFound(id string) (deleted bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.isDecided() {
		return false, nil
	}
	if s.notFound++; s.notFound < mostNotFound {
		return false, nil
	}
	s.verdict, s.why = Failed, "the service does not have it any more"
	t.waiting--
	if t.failFast {
		return true, errStop
	}
	return true, nil
}

// record updates a subject and reports the change if its status is new. The error is that of the report, or errFinished
// when the change ends the watch.
func (t *tracker) record(state State) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subject(state.ID)
	s.notFound = 0
	if s.isDecided() || s.reported && s.status == state.Status {
		return nil
	}
	change := Change{State: state, Verdict: t.goal.Judge(state.Status)}
	if s.reported {
		from := s.status
		change.From = &from
		t.changes++
	}
	s.reported, s.status, s.since, s.why, s.verdict = true, state.Status, state.Since, state.Why(), change.Verdict
	if err := t.report(change); err != nil {
		return err
	}
	if s.isDecided() {
		t.waiting--
	}
	if t.failFast && s.verdict == Failed {
		return errStop
	}
	return nil
}

// allDecided reports whether there is a goal and no subject is waited for any more.
func (t *tracker) allDecided() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting == 0 && !t.goal.Endless()
}

// unfinished returns the subjects that are still followed.
func (t *tracker) unfinished() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []string
	for _, s := range t.order {
		if !s.isDecided() {
			ids = append(ids, s.id)
		}
	}
	return ids
}

func (t *tracker) summary() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	results := map[Verdict][]SubjectResult{}
	for _, s := range t.order {
		results[s.verdict] = append(results[s.verdict], SubjectResult{s.id, s.status, s.why})
	}
	return Summary{
		Reached: results[Reached], Failed: results[Failed], Waiting: results[Waiting], Changes: t.changes,
	}
}
