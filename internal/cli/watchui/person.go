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
	// personDelay is how long nothing may have changed before the notice: a reference service may yet act in the place of
	// the person, and takes a part of this time by default.
	personDelay = 3 * time.Second
	// mostSteps is how many commands a notice or an error suggests.
	mostSteps = 3
)

// A personNotice notices when everything that a watch still waits for waits for a person, and says so once for each
// set of statuses.
type personNotice struct {
	kind  Kind
	delay time.Duration
	// waiting returns what is still waited for; it is not called within observe.
	waiting func() []follow.SubjectResult
	// isReference reports whether the service is a reference service.
	isReference func() bool
	print       func(text string)

	mu    sync.Mutex
	timer *time.Timer
	said  map[string]bool // sets of statuses; nil when the watch has ended
}

// newPersonNotice returns the notice of a watch that ends after a timeout; zero: never.
func newPersonNotice(
	kind Kind, timeout time.Duration, waiting func() []follow.SubjectResult, isReference func() bool, print func(text string),
) *personNotice {
	delay := personDelay
	if timeout > 0 {
		delay = min(delay, timeout/2) // the notice comes before the end
	}
	return &personNotice{
		kind: kind, delay: delay, waiting: waiting, isReference: isReference, print: print, said: map[string]bool{},
	}
}

// observe takes note that something has changed.
func (n *personNotice) observe() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.timer != nil {
		n.timer.Stop()
	}
	n.timer = time.AfterFunc(n.delay, n.look)
}

// look says what waits for a person, if all does. What has not been read yet has no status, and needs none.
func (n *personNotice) look() {
	waiting, counts := n.waiting(), map[string]int{}
	for _, subject := range waiting {
		if !n.kind.needsPerson(subject.Status) {
			return
		}
		counts[subject.Status]++
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
	}
	set := strings.Join(slices.Sorted(maps.Keys(counts)), " ")
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(waiting) == 0 || n.said == nil || n.said[set] {
		return
	}
	n.said[set] = true
	who := cmdutil.Count(len(waiting), strings.ToLower(n.kind.Noun)+"(s)") + " (" + strings.Join(parts, ", ") + ")"
	if len(waiting) == 1 {
		who = waiting[0].ID + " (" + waiting[0].Status + ")"
	}
	run := strings.Join(n.kind.personSteps(waiting, n.isReference()), ", or ")
	n.print("Waiting for a person to act: " + who + ". Run " + strings.ReplaceAll(run, "   (", " (")) // in one line
}

// stop ends the notice with its watch.
func (n *personNotice) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.said = nil; n.timer != nil {
		n.timer.Stop()
	}
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
