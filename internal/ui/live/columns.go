package live

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// IDColumn identifies the row.
func IDColumn(header string) Column {
	return Column{
		Column: ui.Column{Header: header, Name: "id", Keep: true},
		Cell:   func(row *Row, _ Moment) ui.Cell { return ui.Text(row.ID) },
	}
}

// StatusColumn shows the status.
func StatusColumn(header string) Column {
	return Column{
		Column: ui.Column{Header: header, Keep: true},
		Cell:   func(row *Row, _ Moment) ui.Cell { return row.Status },
	}
}

// TurnColumn shows the group of the row.
func TurnColumn(groups []ui.Cell) Column {
	return Column{
		Column: ui.Column{Header: "Turn", Keep: true},
		Cell:   func(row *Row, _ Moment) ui.Cell { return groups[max(min(row.Group, len(groups)-1), 0)] },
	}
}

// AgeColumn shows how long the row has had its status.
func AgeColumn() Column {
	return Column{
		Column: ui.Column{Header: "For", Name: "age", Right: true}, Passes: true,
		Cell: func(row *Row, at Moment) ui.Cell { return ui.Text(Age(row.Since, at.Now)) },
	}
}

// soon is how long before a deadline it is shown as urgent.
const soon = 8 * time.Hour

// DeadlineColumn shows how much time is left.
func DeadlineColumn(header string) Column {
	return Column{
		Column: ui.Column{Header: header, Whole: true}, Passes: true,
		Cell: func(row *Row, at Moment) ui.Cell {
			tone := ui.Plain
			switch left := row.Deadline.Sub(at.Now); {
			case row.Deadline.IsZero():
				return ui.Cell{}
			case left < 0:
				tone = ui.Bad
			case left < soon:
				tone = ui.Reviewer
			}
			return ui.Toned(tone, Left(row.Deadline, at.Now))
		},
	}
}

// WhyColumn explains the status.
func WhyColumn() Column {
	return Column{
		Column: ui.Column{Header: "Why", Least: 12}, Explains: true,
		Cell: func(row *Row, _ Moment) ui.Cell { return ui.Text(row.Why) },
	}
}

// Left is the time left until a time, or since then.
func Left(until, now time.Time) string {
	if left := until.Sub(now); left >= 0 {
		return shortAge(left) + " left"
	}
	return shortAge(now.Sub(until)) + " late"
}

// Age returns the time since t in at most two units, or a dash for the zero time.
func Age(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return ui.Age(now.Sub(t))
}

// shortAge is a duration in one unit.
func shortAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}
