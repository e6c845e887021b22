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

// newPersonNotice returns a timer that runs out when nothing has changed for a while, for which each change resets it.
// If everything that a watch still waits for then waits for a person, it prints that, once for the same statuses. The
// watch ends after the timeout; zero: never.
func (k Kind) newPersonNotice(
	timeout time.Duration, isReference func() bool, waiting func() []follow.SubjectResult, print func(text string),
) (timer *time.Timer, delay time.Duration) {
	if delay = personDelay; timeout > 0 {
		delay = min(delay, timeout/2) // the notice comes before the end
	}
	var mu sync.Mutex
	said := ""
	return time.AfterFunc(delay, func() {
		text, statuses := k.personText(waiting(), isReference())
		mu.Lock()
		defer mu.Unlock()
		if text != "" && statuses != said {
			said = statuses
			print(text)
		}
	}), delay
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
