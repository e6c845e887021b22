package watchui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// mostIdle is how many subjects of a group are listed on which no person has to act. More are only counted.
const mostIdle = 20

// groupedLines prints a watch of several subjects as lines for people, such as those who use a screen reader: the first
// statuses in groups, in the order of whose turn it is, and then a line for each change. The engine does not call it
// concurrently.
type groupedLines struct {
	out  *output
	held map[string]follow.Change // first statuses that are not printed yet; nil after the first have been read
}

// change prints a change, or holds it back until the first statuses have been read.
func (g *groupedLines) change(c follow.Change) error {
	switch {
	case g.held != nil:
		g.held[c.ID] = c
		return nil
	case c.From == nil:
		return g.out.line(c, ui.Text("new"))
	}
	return g.out.line(c, ui.Text("was "+cmdutil.Text(c.From))) // a reader may have forgotten it
}

// print prints what is held back in groups, in each of them the longest in their status first.
func (g *groupedLines) print() error {
	groups := map[payments.Turn][]follow.Change{}
	for _, c := range g.held {
		turn := g.out.kind.turnOf(c)
		groups[turn] = append(groups[turn], c)
	}
	g.held = nil
	for _, turn := range g.out.kind.Turns {
		group := groups[turn]
		if len(group) == 0 {
			continue
		}
		heading, few := heading(turn, len(group)), turn.NeedsPerson() || len(group) <= mostIdle
		if !few {
			heading, group = heading+", not listed", nil
		}
		if err := g.out.deps.Line(ui.Toned(ui.Bold, heading)); err != nil {
			return err
		}
		slices.SortFunc(group, func(x, y follow.Change) int {
			return cmp.Or(x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
		})
		for _, c := range group {
			if err := g.out.line(c); err != nil {
				return err
			}
		}
	}
	return nil
}
