package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// TextColumn shows a text of a row. Those without one come last when the rows are sorted by it.
func TextColumn(column ui.Column, text func(row *Row) string) Column {
	return Column{
		Column: column,
		Cell:   func(row *Row, _ Moment) ui.Cell { return ui.Text(text(row)) },
		Text:   text,
		Compare: func(x, y *Row) int {
			a, b := text(x), text(y)
			if (a == "") != (b == "") {
				return strings.Compare(b, a)
			}
			return strings.Compare(a, b)
		},
	}
}

// HiddenColumn is a column of filters that the list does not have.
func HiddenColumn(name string, text func(row *Row) string) Column {
	column := TextColumn(ui.Column{Header: name, Name: name}, text)
	column.FilterOnly, column.Compare = true, nil
	return column
}

// IDColumn identifies the row.
func IDColumn(header, name string) Column {
	return Column{
		Column:  ui.Column{Header: header, Name: name, Keep: true},
		Cell:    func(row *Row, _ Moment) ui.Cell { return ui.Text(row.ID) },
		Compare: func(x, y *Row) int { return strings.Compare(x.ID, y.ID) },
	}
}

// StatusColumn shows the status.
func StatusColumn(header, name string) Column {
	return Column{
		Column:  ui.Column{Header: header, Name: name, Keep: true, Rank: 10},
		Most:    22, // resubmission_required
		Cell:    func(row *Row, _ Moment) ui.Cell { return row.Status },
		Compare: func(x, y *Row) int { return strings.Compare(x.Status.Text, y.Status.Text) },
	}
}

// AgeColumn shows how long the row has had its status, the longest first.
func AgeColumn() Column {
	return Column{
		Column: ui.Column{Header: "For", Name: "age", Right: true, Rank: 9},
		Cell:   func(row *Row, at Moment) ui.Cell { return ui.Toned(ui.Dim, Age(row.Since, at.Now)) },
		Value: func(row *Row, now time.Time) (float64, bool) {
			return now.Sub(row.Since).Seconds(), !row.Since.IsZero()
		},
		Compare: func(x, y *Row) int { return x.Since.Compare(y.Since) },
	}
}

// DeadlineColumn shows how much time is left, the least first.
func DeadlineColumn() Column {
	return Column{
		Column: ui.Column{Header: "Deadline", Name: "deadline", Rank: 6, Whole: true},
		Cell: func(row *Row, at Moment) ui.Cell {
			left := row.Deadline.Sub(at.Now)
			switch {
			case row.Deadline.IsZero():
				return ui.Cell{}
			case left < 0:
				return ui.Toned(ui.Bad, shortAge(-left)+" late")
			case left < soon:
				return ui.Toned(ui.Reviewer, shortAge(left)+" left")
			}
			return ui.Text(shortAge(left) + " left")
		},
		Value: func(row *Row, now time.Time) (float64, bool) {
			return row.Deadline.Sub(now).Seconds(), !row.Deadline.IsZero()
		},
		Compare: func(x, y *Row) int {
			switch {
			case x.Deadline.IsZero() == y.Deadline.IsZero():
				return x.Deadline.Compare(y.Deadline)
			case x.Deadline.IsZero():
				return 1
			}
			return -1
		},
	}
}

// soon is when a deadline is shown as urgent: within the working day.
const soon = 8 * time.Hour

// WhyColumn explains the status.
func WhyColumn() Column {
	return Column{
		Column: ui.Column{Header: "Why", Name: "reason", Least: 12, Rank: 5}, Explains: true,
		Cell: func(row *Row, _ Moment) ui.Cell { return ui.Toned(ui.Dim, row.Why) },
		Text: func(row *Row) string { return row.Why },
	}
}

// Age returns the time since t in at most two units; a dash for no time.
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
