package watchui

import (
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// The order and the colours of the rows. Rows are in groups by whose turn it is, in the order of payments.Turns, which
// says for each status whose turn it is. Within a group, those that have had their status longest come first.

// groups are the groups of the list, one for each of payments.Turns, with their colours.
func (k Kind) groups() []live.Group {
	groups := map[payments.Turn]live.Group{
		payments.TurnApplicant: {Name: k.Applicant, Tone: ui.Applicant, Mark: [2]string{"?", "?"}},
		payments.TurnReviewer:  {Name: "reviewer", Tone: ui.Staff, Mark: [2]string{"!", "!"}},
		payments.TurnFailed:    {Name: "failed", Tone: ui.Bad, Mark: [2]string{"x", "✗"}},
		payments.TurnProvider:  {Name: "progress", Tone: ui.Provider, Mark: [2]string{"~", "…"}},
		payments.TurnDone:      {Name: "done", Tone: ui.Good, Mark: [2]string{"-", "✓"}},
	}
	var ordered []live.Group
	for _, turn := range payments.Turns {
		ordered = append(ordered, groups[turn])
	}
	return ordered
}

// group is the index in groups of a subject's group.
func (k Kind) group(c follow.Change) int { return slices.Index(payments.Turns, k.turnOf(c)) }

// turnOf tells who has to act on a subject. What a watch waits for decides before the status.
func (k Kind) turnOf(c follow.Change) payments.Turn {
	switch c.Verdict {
	case follow.Reached:
		return payments.TurnDone
	case follow.Failed:
		return payments.TurnFailed
	}
	return k.Turn(c.Status)
}

// longestFirst orders the rows of a group.
func longestFirst(x, y *live.Row) int { return x.Since.Compare(y.Since) }

// heading begins a group of lines, such as "A reviewer at the service has to act: 12".
func (k Kind) heading(turn payments.Turn, n int) string {
	what := map[payments.Turn]string{
		payments.TurnReviewer: "A reviewer at the service has to act", payments.TurnApplicant: "The " + k.Applicant + " has to act",
		payments.TurnFailed: "Failed", payments.TurnProvider: "The service works on it", payments.TurnDone: "Done",
	}
	return fmt.Sprintf("%s: %d", what[turn], n)
}
