package watchui

import (
	"strings"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/shell"
)

// personDelay is how long nothing must have changed before the notice. A reference service may act instead of the
// person. By default it takes a part of this time.
const personDelay = 3 * time.Second

// noticePersons prints who has to act if all that an engine waits for waits for a person, and nothing has changed for a
// while. The engine's Each calls changed. The watch ends after the timeout. Zero means never.
func (k *Resource) noticePersons(
	e *follow.Engine, timeout time.Duration, nextStep func(shell.Hint) string, print func(string),
) (changed func(), stop func() bool) {
	delay := personDelay
	if timeout > 0 {
		delay = min(delay, timeout/2) // the notice comes before the end
	}
	notice := func() {
		if text := k.personText(e.Summary().Waiting, isReference(e.Service), nextStep); text != "" {
			print(text)
		}
	}
	if len(e.Goal.Wanted) == 0 {
		notice = func() {}
	}
	timer := time.AfterFunc(delay, notice)
	return func() { timer.Reset(delay) }, timer.Stop
}

// personText says who has to act if everything that is waited for waits for a person; else it is empty. A subject
// that has not been read yet has no status, and needs no person.
func (k *Resource) personText(
	waiting []follow.SubjectResult, isReference bool, nextStep func(shell.Hint) string,
) string {
	for _, subject := range waiting {
		if !k.Turn(subject.Status).NeedsPerson() {
			return ""
		}
	}
	if len(waiting) == 0 {
		return ""
	}
	who := k.Count(len(waiting)) + " (" + k.countText(waiting...) + ")"
	if len(waiting) == 1 {
		who = waiting[0].ID + " (" + waiting[0].Status + ")"
	}
	var steps []string
	for _, step := range k.personSteps(waiting, isReference) {
		note := step.Note
		steps = append(steps, nextStep(step.With(""))+" ("+note+")") // in one line
	}
	if len(waiting) > 1 {
		steps = steps[:1]
	}
	return "Waiting for a person to act: " + who + ". Run " + strings.Join(steps, ", or ")
}

// personSteps are the commands for what a watch still waits for: for one subject of each status that waits for a
// person.
func (k *Resource) personSteps(waiting []follow.SubjectResult, isReference bool) (steps []shell.Hint) {
	statuses := map[string]bool{}
	for _, s := range waiting {
		if !statuses[s.Status] && k.Turn(s.Status).NeedsPerson() {
			steps = append(steps, k.Steps(s.Status, s.ID, isReference)...)
		}
		statuses[s.Status] = true
	}
	return steps
}
