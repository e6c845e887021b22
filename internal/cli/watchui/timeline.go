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

// Timeline shows what has happened to a subject, the latest first: when, from and to which status, how long it lasted
// and why. Its present state is the latest, also where the events do not have that. A reason is shown where it appears
// first: later events repeat it.
func (k Kind) Timeline(events []payments.Event, present follow.State, now time.Time) (timeline ui.Details) {
	status, why, since, latest := "", "", time.Time{}, -1
	add := func(at time.Time, cells ...ui.Cell) {
		timeline = append(timeline, ui.Field{Label: at.UTC().Format("01-02 15:04Z"), Cells: cells})
	}
	lasted := func(until time.Time, more string) {
		if latest >= 0 {
			timeline[latest].Cells[0].Text += "  for " + ui.Age(until.Sub(since)) + more
		}
	}
	move := func(from string, to follow.State) {
		lasted(to.Since, "")
		cells := []ui.Cell{k.Status(to.Status)}
		if from != "" {
			cells[0].Text = from + " → " + cells[0].Text
		}
		if reason := to.Why(); reason != why {
			why, cells = reason, append(cells, ui.Toned(ui.Dim, reason))
		}
		status, since, latest = to.Status, to.Since, len(timeline)
		add(to.Since, cells...)
	}
	for _, e := range events {
		switch {
		case slices.Contains(k.Subjects.Events, e.Type):
			move(cmdutil.Text(e.From), k.Subjects.Of(e))
		case strings.HasSuffix(string(e.Type), ".created"):
			add(e.OccurredAt, ui.Text("the "+strings.ToLower(k.Noun)+" was created"))
		}
	}
	isAll := len(events) > 0 && events[0].From == nil && status == present.Status
	if status != present.Status {
		move("", present)
	}
	lasted(now, " until now")
	slices.Reverse(timeline)
	if !isAll {
		timeline = append(timeline, ui.Field{Label: "before", Cells: []ui.Cell{ui.Toned(ui.Dim, "not known")}})
	}
	return timeline
}
