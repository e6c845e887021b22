package follow

import (
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
	// Unlisted reports that Engine.All was set, and the list was never read to its end.
	Unlisted bool
}

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
	engine *Engine // for its settings

	mu      sync.Mutex
	byID    map[string]*subject
	order   []*subject
	waiting int // subjects that are not finished
	// unlisted reports that there is a list, which has not been read to its end yet.
	unlisted bool
}

func newTracker(e *Engine) *tracker {
	t := &tracker{engine: e, byID: map[string]*subject{}, unlisted: e.All}
	for _, id := range e.IDs {
		t.add(id)
	}
	return t
}

// add returns what is known of a subject, and begins to follow it if nothing is.
func (t *tracker) add(id string) *subject {
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

// mostNotFound is how many 404 in a row mean that a subject has been deleted. One is not enough: a proxy may answer
// 404 to everything while the service behind it restarts.
const mostNotFound = 3

// notFound records a 404. After mostNotFound in a row the subject counts as deleted, and fails if there is a goal;
// deleted is then true. The error is errStop when that ends the watch.
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
	t.waiting--
	if t.engine.Goal.Endless() {
		delete(t.byID, id)
		t.order = slices.DeleteFunc(t.order, func(other *subject) bool { return other == s })
		return true, nil
	}
	s.verdict, s.why = Failed, "the service does not have it any more"
	if t.engine.FailFast {
		return true, errStop
	}
	return true, nil
}

// record updates a subject and reports the change if its status is new. The error is that of the report, or errStop
// when the change ends the watch.
func (t *tracker) record(state State) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.add(state.ID)
	s.notFound = 0
	if s.isDecided() || s.reported && s.status == state.Status {
		return nil
	}
	change := Change{State: state, Verdict: t.engine.Goal.Judge(state.Status)}
	if s.reported {
		from := s.status
		change.From = &from
	}
	s.reported, s.status, s.since, s.why, s.verdict = true, state.Status, state.Since, state.Why(), change.Verdict
	if err := t.engine.Each(change); err != nil {
		return err
	}
	if s.isDecided() {
		t.waiting--
	}
	if t.engine.FailFast && s.verdict == Failed {
		return errStop
	}
	return nil
}

// setListed records that the list has been read to its end.
func (t *tracker) setListed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unlisted = false
}

// isFinished reports whether there is a goal and no subject is waited for any more.
func (t *tracker) isFinished() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting == 0 && !t.engine.Goal.Endless()
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
		Reached: results[Reached], Failed: results[Failed], Waiting: results[Waiting],
		Unlisted: t.unlisted,
	}
}
