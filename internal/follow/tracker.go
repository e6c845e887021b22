package follow

import (
	"errors"
	"fmt"
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
	size     int // bytes of the texts that are kept for it, here and by the live view
}

// isDecided reports whether the subject is not followed any more.
func (s *subject) isDecided() bool { return s.verdict != Waiting }

// A tracker knows the subjects of a watch and reports their changes, one at a time. It is safe for concurrent use.
type tracker struct {
	goal     Goal
	failFast bool
	most     int // subjects; zero means no bound
	report   func(Change) error

	mu      sync.Mutex
	byID    map[string]*subject
	order   []*subject
	waiting int // subjects that are not finished
	// unlisted reports that there is a list, which has not been read to its end yet.
	unlisted bool
	size     int // bytes of the texts that are kept for all subjects
}

// A LimitError ends a watch of more subjects than Engine.Most, or of subjects with more text than fits that many.
type LimitError struct {
	Most int
	// Text reports that the texts are too long, and not the subjects too many.
	Text bool
}

func (e *LimitError) Error() string {
	if e.Text {
		return fmt.Sprintf("follow: the texts of the subjects take more than %d times %d bytes", e.Most, textOfSubject)
	}
	return fmt.Sprintf("follow: there are more than %d subjects", e.Most)
}

// The texts of a subject take about 100 bytes at a usual service: its identifier, status, reasons and name. A few may
// have more than their share.
const (
	textOfSubject = 1 << 10
	textOfFew     = 1 << 20
)

// add starts to follow subjects, unless they are followed already. The error is a LimitError.
func (t *tracker) add(ids ...string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		if _, err := t.subject(id); err != nil {
			return err
		}
	}
	return nil
}

func (t *tracker) subject(id string) (*subject, error) {
	s := t.byID[id]
	if s == nil {
		if t.most > 0 && len(t.order) >= t.most {
			return nil, &LimitError{Most: t.most}
		}
		s = &subject{id: id}
		t.byID[id] = s
		t.order = append(t.order, s)
		t.waiting++
	}
	return s, nil
}

// resize sets the bytes of the texts that are kept for a subject. The error is a LimitError.
func (t *tracker) resize(s *subject, size int) error {
	t.size += size - s.size
	s.size = size
	if t.most > 0 && t.size > t.most*textOfSubject+textOfFew {
		return &LimitError{Most: t.most, Text: true}
	}
	return nil
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
	t.size -= s.size
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
// The error is errStop when that ends the watch.
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

// record updates a subject and reports the change if its status is new. The error is that of the report, or errStop
// when the change ends the watch.
func (t *tracker) record(state State) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.subject(state.ID)
	if err != nil {
		return err
	}
	s.notFound = 0
	if s.isDecided() || s.reported && s.status == state.Status {
		return nil
	}
	why := state.Why()
	size := len(state.ID) + len(state.Status) + len(why)
	if state.Record != nil {
		size += state.Record.Size()
	}
	if err := t.resize(s, size); err != nil {
		return err
	}
	change := Change{State: state, Verdict: t.goal.Judge(state.Status)}
	if s.reported {
		from := s.status
		change.From = &from
	}
	s.reported, s.status, s.since, s.why, s.verdict = true, state.Status, state.Since, why, change.Verdict
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

// setListed records that the list has been read to its end.
func (t *tracker) setListed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unlisted = false
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
		Reached: results[Reached], Failed: results[Failed], Waiting: results[Waiting],
		Unlisted: t.unlisted,
	}
}
