package watchui

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/follow"
)

const (
	// personDelay is how long nothing may have changed before the notice: a reference service may yet act in the place of
	// the person, and takes a part of this time by default.
	personDelay = 3 * time.Second
	// mostSteps is how many commands a notice or an error suggests.
	mostSteps = 3
)

// A personNotice says when everything that a watch still waits for waits for a person.
type personNotice struct {
	delay time.Duration
	// look returns what there is to say, and about which statuses; empty: nothing. It is not called within observe.
	look  func() (text, statuses string)
	print func(text string)

	mu    sync.Mutex
	timer *time.Timer
	said  string // the statuses about which something was said last
	ended bool
}

// newPersonNotice returns the notice of a watch by an engine that ends after a timeout; zero: never.
func newPersonNotice(
	kind Kind, engine *follow.Engine, timeout time.Duration, isReference func() bool, print func(text string),
) *personNotice {
	delay := personDelay
	if timeout > 0 {
		delay = min(delay, timeout/2) // the notice comes before the end
	}
	look := func() (text, statuses string) { return kind.personText(engine.Summary().Waiting, isReference()) }
	return &personNotice{delay: delay, look: look, print: print}
}

// observe takes note that something has changed.
func (n *personNotice) observe() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.timer != nil {
		n.timer.Stop()
	}
	n.timer = time.AfterFunc(n.delay, func() {
		text, statuses := n.look()
		n.mu.Lock()
		defer n.mu.Unlock()
		if text != "" && statuses != n.said && !n.ended {
			n.said = statuses
			n.print(text)
		}
	})
}

// stop ends the notice with its watch.
func (n *personNotice) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended = true; n.timer != nil {
		n.timer.Stop()
	}
}

// personText says who has to act if everything that is waited for waits for a person, and in which statuses it is; else
// it is empty. What has not been read yet has no status, and needs none.
func (k Kind) personText(waiting []follow.SubjectResult, isReference bool) (text, statuses string) {
	all := map[string]bool{}
	for _, subject := range waiting {
		if !k.Turn(subject.Status).NeedsPerson() {
			return "", ""
		}
		all[subject.Status] = true
	}
	if len(waiting) == 0 {
		return "", ""
	}
	who := k.count(len(waiting)) + " (" + k.countText(waiting...) + ")"
	if len(waiting) == 1 {
		who = waiting[0].ID + " (" + waiting[0].Status + ")"
	}
	run := strings.Join(k.personSteps(waiting, isReference), ", or ")
	text = "Waiting for a person to act: " + who + ". Run " + strings.ReplaceAll(run, "   (", " (") // in one line
	return text, strings.Join(slices.Sorted(maps.Keys(all)), " ")
}

// personSteps are the commands for what a watch still waits for: for one subject of each status that waits for a
// person.
func (k Kind) personSteps(waiting []follow.SubjectResult, isReference bool) (steps []string) {
	statuses := map[string]bool{}
	for _, s := range waiting {
		if !statuses[s.Status] && len(steps) < mostSteps && s.Status != "" && k.Turn(s.Status).NeedsPerson() {
			steps = append(steps, k.Steps(s.Status, s.ID, isReference)...)
		}
		statuses[s.Status] = true
	}
	return steps
}
