package watchui

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// Timeline returns what has happened to a subject, oldest first, and whether there was more before. Its present state
// ends it, also where the events do not have that. A reason is shown where it appears first: later events repeat it.
func (k Kind) Timeline(events []payments.Event, now follow.State) (steps []live.Step, incomplete bool) {
	status, why := "", ""
	add := func(from string, to follow.State) {
		step := live.Step{At: to.Since, From: ui.Text(from), To: k.Status(to.Status)}
		if from != "" {
			step.From = k.Status(from)
		}
		if to.Why() != why {
			step.Why, why = to.Why(), to.Why()
		}
		steps, status = append(steps, step), to.Status
	}
	for _, e := range events {
		switch {
		case slices.Contains(k.Subjects.Events, e.Type) && e.From != nil:
			add(*e.From, k.Subjects.Of(e))
		case slices.Contains(k.Subjects.Events, e.Type):
			add("", k.Subjects.Of(e))
		case strings.HasSuffix(string(e.Type), ".created"):
			steps = append(steps, live.Step{At: e.OccurredAt, Note: "the " + strings.ToLower(k.Noun) + " was created"})
		}
	}
	if status != now.Status {
		add("", now)
		return steps, true
	}
	return steps, len(events) == 0 || events[0].From != nil
}
