package watchui

import (
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// Timeline shows what has happened to a subject, the latest first: when, from one status to another, how long it lasted
// and why. The latest is the present state, even if no event has it.
func (k *Resource) Timeline(events []payments.Event, present follow.State, now time.Time) (timeline ui.Details) {
	last, latest := follow.State{}, -1 // the last change, and where it is in the timeline
	add := func(at time.Time, cells ...ui.Cell) {
		timeline = append(timeline, ui.Field{Label: at.In(now.Location()).Format("01-02 15:04Z07"), Cells: cells})
	}
	move := func(from string, to follow.State) {
		if latest >= 0 {
			timeline[latest].Cells[0].Text += "  for " + ui.Age(to.Since.Sub(last.Since))
		}
		cells := []ui.Cell{k.Status(to.Status)}
		if from != "" {
			cells[0].Text = from + " → " + cells[0].Text
		}
		if why := to.Why(); why != last.Why() { // later events repeat it
			cells = append(cells, ui.Text(why))
		}
		last, latest = to, len(timeline)
		add(to.Since, cells...)
	}
	for _, e := range events {
		switch {
		case slices.Contains(k.Events, e.Type):
			move(cmdutil.Text(e.From), k.StateOf(e))
		case strings.HasSuffix(string(e.Type), ".created"):
			add(e.OccurredAt, ui.Text("the "+strings.ToLower(k.Noun)+" was created"))
		}
	}
	if last.Status != present.Status {
		move("", present)
	}
	timeline[latest].Cells[0].Text += "  for " + ui.Age(now.Sub(last.Since)) + " until now"
	slices.Reverse(timeline)
	if len(events) == 0 || events[0].From != nil {
		timeline = append(timeline, ui.Field{Label: "before", Cells: []ui.Cell{ui.Toned(ui.Dim, "not known")}})
	}
	return timeline
}
