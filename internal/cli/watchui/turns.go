package watchui

import (
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui/live"
)

// The order of the rows: they are in groups by whose turn it is, in the order that package payments gives the turns.
// Within a group, those that have had their status longest come first. Their colour is that of the turn.

// groups are the groups of the list, one for each turn, with their colours.
func (k Kind) groups() (groups []live.Group) {
	marks := map[payments.Turn][2]string{
		payments.TurnYou: {"?", "?"}, payments.TurnApplicant: {"?", "?"}, payments.TurnReviewer: {"!", "!"},
		payments.TurnFailed: {"x", "✗"}, payments.TurnProvider: {"~", "…"}, payments.TurnDone: {"-", "✓"},
	}
	for _, turn := range k.Turns {
		cell := cmdutil.Turn(turn)
		groups = append(groups, live.Group{Name: cell.Text, Tone: cell.Tone, Mark: marks[turn]})
	}
	return groups
}

// group is the index in groups of a subject's group.
func (k Kind) group(c follow.Change) int { return slices.Index(k.Turns, k.turnOf(c)) }

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
func heading(turn payments.Turn, n int) string {
	what := map[payments.Turn]string{
		payments.TurnYou: "You have to act", payments.TurnApplicant: "The applicant has to act",
		payments.TurnReviewer: "A reviewer at the service has to act",
		payments.TurnFailed:   "Failed", payments.TurnProvider: "The service works on it", payments.TurnDone: "Done",
	}
	return fmt.Sprintf("%s: %d", what[turn], n)
}
