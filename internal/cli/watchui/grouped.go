package watchui

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

const (
	// holdFor is how long first statuses are held back at most before they are printed: a list of thousands takes a few
	// seconds, and a user should not wait longer than this for a service that is slow.
	holdFor = 10 * time.Second
	// mostIdle is how many subjects of a group are listed on which no person has to act. More are only counted.
	mostIdle = 20
)

// groupedLines prints a watch of several subjects as lines for people, such as those who use a screen reader: the first
// statuses in groups, in the order of whose turn it is, and then a line for each change. It is safe for concurrent use.
type groupedLines struct {
	out *output

	mu    sync.Mutex
	held  map[string]follow.Change // first statuses that are not printed yet; nil after the first have been read
	timer *time.Timer              // prints what is held; nil while nothing is
	err   error                    // of printing
}

func newGroupedLines(out *output) *groupedLines {
	return &groupedLines{out: out, held: map[string]follow.Change{}}
}

// change prints a change, or holds it back if the first status of its subject is.
func (g *groupedLines) change(c follow.Change) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, isHeld := g.held[c.ID]
	switch {
	case g.err != nil:
		return g.err
	case g.held == nil || c.From != nil && !isHeld:
		return g.out.changeLine(c)
	}
	if g.held[c.ID] = c; g.timer == nil {
		g.timer = time.AfterFunc(holdFor, g.printPart)
	}
	return nil
}

// printPart prints what has been read so far.
func (g *groupedLines) printPart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer == nil || len(g.held) == 0 {
		return
	}
	g.timer = nil
	g.err = cmp.Or(g.err, g.printHeld())
	g.held = map[string]follow.Change{}
}

// loaded prints what is held back and a line about all, when the first statuses have been read.
func (g *groupedLines) loaded(all string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == nil {
		return
	}
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	g.err = cmp.Or(g.err, g.printHeld())
	g.held = nil
	if g.err == nil {
		g.err = g.out.deps.Line(ui.Text(all))
	}
}

// end prints what is held back when the watch has ended.
func (g *groupedLines) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
	}
	return cmp.Or(g.err, g.printHeld())
}

// printHeld prints what is held back in groups, in each of them the longest in their status first.
func (g *groupedLines) printHeld() error {
	groups := map[payments.Turn][]follow.Change{}
	for _, c := range g.held {
		turn := g.out.kind.turnOf(c)
		groups[turn] = append(groups[turn], c)
	}
	for _, turn := range g.out.kind.Turns {
		group := groups[turn]
		if len(group) == 0 {
			continue
		}
		heading, few := heading(turn, len(group)), turn.NeedsPerson() || len(group) <= mostIdle
		if !few {
			heading += ", not listed"
		}
		if err := g.out.deps.Line(ui.Toned(ui.Bold, heading)); err != nil {
			return err
		}
		if !few {
			continue
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

// changeLine prints a change with the status before, which a reader of the lines before may have forgotten.
func (out *output) changeLine(c follow.Change) error {
	if c.From == nil {
		return out.line(c, ui.Text("new"))
	}
	return out.line(c, ui.Text("was "+cmdutil.Text(c.From)))
}
