package watchui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
)

const (
	// personDelay is how long nothing may have changed before the notice, where a reference service may yet act in the
	// place of the person: several times as long as it takes by default.
	personDelay = 3 * time.Second
	// mostSteps is how many commands a notice or an error suggests.
	mostSteps = 3
)

// A personNotice notices when everything that a watch still waits for waits for a person, and says so once for each
// set of statuses.
type personNotice struct {
	kind Kind
	// expected is how many subjects must have been seen before the notice; with All it is zero.
	expected int
	delay    time.Duration
	// waiting returns what is still waited for. It is not called within observe.
	waiting func() []follow.SubjectResult
	// isReference reports whether the service is a reference service.
	isReference func() bool
	print       func(text string)

	mu    sync.Mutex
	seen  int
	count map[string]int  // of subjects that are waited for, by their status
	said  map[string]bool // sets of statuses
	timer *time.Timer
}

// newPersonNotice returns the notice of a watch that ends after a timeout; zero: never.
func newPersonNotice(
	kind Kind, expected int, timeout time.Duration, waiting func() []follow.SubjectResult, isReference func() bool,
	print func(text string),
) *personNotice {
	delay := personDelay
	if timeout > 0 {
		delay = min(delay, timeout/2) // the notice comes before the end
	}
	return &personNotice{
		kind: kind, expected: expected, delay: delay, waiting: waiting, isReference: isReference, print: print,
		count: map[string]int{}, said: map[string]bool{},
	}
}

// observe takes note of a change.
func (n *personNotice) observe(c follow.Change) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.From == nil {
		n.seen++
	} else {
		n.count[*c.From]--
		if n.count[*c.From] == 0 {
			delete(n.count, *c.From)
		}
	}
	if c.Verdict == follow.Waiting {
		n.count[c.Status]++
	}
	n.stopTimer()
	statuses := slices.Sorted(maps.Keys(n.count))
	set := strings.Join(statuses, " ")
	if len(statuses) == 0 || n.seen < n.expected || n.said[set] || !all(statuses, n.kind.needsPerson) {
		return
	}
	delay := n.delay
	if n.expected > 0 && all(statuses, n.kind.OnlyPerson) {
		delay = 0
	}
	var timer *time.Timer
	timer = time.AfterFunc(delay, func() {
		waiting := n.waiting() // without the lock, which observe takes under that of the watch
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.timer == timer { // nothing has changed
			n.said[set] = true
			n.print(n.text(waiting))
		}
	})
	n.timer = timer
}

func all(statuses []string, is func(string) bool) bool {
	return !slices.ContainsFunc(statuses, func(status string) bool { return !is(status) })
}

// stop ends the notice with its watch.
func (n *personNotice) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopTimer()
}

func (n *personNotice) stopTimer() {
	if n.timer != nil {
		n.timer.Stop()
		n.timer = nil
	}
}

// text says what waits for a person, and what to run.
func (n *personNotice) text(waiting []follow.SubjectResult) string {
	var counts []string
	for _, status := range slices.Sorted(maps.Keys(n.count)) {
		counts = append(counts, fmt.Sprintf("%d %s", n.count[status], status))
	}
	who := cmdutil.Count(len(waiting), strings.ToLower(n.kind.Noun)+"(s)") + " (" + strings.Join(counts, ", ") + ")"
	if len(waiting) == 1 {
		who = waiting[0].ID + " (" + waiting[0].Status + ")"
	}
	run := strings.Join(n.kind.personSteps(waiting, n.isReference()), ", or ")
	return "Waiting for a person to act: " + who + ". Run " + strings.ReplaceAll(run, "   (", " (") // in one line
}

// needsPerson reports whether a person has to act before a status changes.
func (k Kind) needsPerson(status string) bool { return k.Turn(status).NeedsPerson() }

// personSteps are the commands for what a watch still waits for when it ends: for one subject of each status that
// waits for a person.
func (k Kind) personSteps(waiting []follow.SubjectResult, isReference bool) (steps []string) {
	statuses := map[string]bool{}
	for _, subject := range waiting {
		if !statuses[subject.Status] && len(steps) < mostSteps && subject.Status != "" && k.needsPerson(subject.Status) {
			steps = append(steps, k.Steps(subject.Status, subject.ID, isReference)...)
		}
		statuses[subject.Status] = true
	}
	return steps
}

// isReference returns a function that reports whether a service has shown itself to be a reference service.
func isReference(service any) func() bool {
	return func() bool {
		world, ok := service.(interface{ World() string })
		return ok && world.World() != ""
	}
}
