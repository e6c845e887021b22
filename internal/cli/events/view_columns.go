package events

import (
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveColumns are those of the live view.
func liveColumns() []live.Column {
	why := live.WhyColumn()
	why.Rank = 5
	return []live.Column{
		{
			Column: ui.Column{Header: "Time", Name: "time", Keep: true},
			Cell:   func(r *live.Row, at live.Moment) ui.Cell { return ui.Toned(ui.Dim, clock(r.Since, at.Now)) },
			Text:   func(r *live.Row) string { return cmdutil.Time(r.Since) },
		},
		textColumn(ui.Column{Header: "Type", Name: "type", Rank: 2, Least: 12}, func(e row) string { return string(e.Type) }),
		textColumn(ui.Column{Header: "Subject", Name: "subject", Rank: 9, Least: 14, Ends: true},
			func(e row) string { return e.SubjectID }),
		textColumn(ui.Column{Header: "From", Name: "from", Right: true, Rank: 6},
			func(e row) string { return cmdutil.Text(e.From) }),
		toColumn(),
		amountColumn(),
		textColumn(ui.Column{Header: "Reference", Name: "reference", Rank: 5, Least: 10, Ends: true}, func(e row) string {
			return e.Data.Reference
		}),
		textColumn(ui.Column{Header: "Label", Name: "label", Rank: 1, Least: 10, Ends: true},
			func(e row) string { return e.Data.Label }),
		why,
		hiddenColumn("event", func(e row) string { return e.ID }),
		hiddenColumn("account", func(e row) string { return e.Data.AccountID }),
		hiddenColumn("externalId", func(e row) string { return e.Data.ExternalID }),
		hiddenColumn("batch", func(e row) string { return e.Data.BatchID }),
		hiddenColumn("route", func(e row) string { return e.Data.Route }),
		{
			Column: ui.Column{Header: "Age", Name: "age"}, FilterOnly: true,
			Cell:  func(r *live.Row, at live.Moment) ui.Cell { return ui.Text(live.Age(r.Since, at.Now)) },
			Value: func(r *live.Row, now time.Time) (float64, bool) { return now.Sub(r.Since).Seconds(), true },
		},
	}
}

func textColumn(column ui.Column, of func(e row) string) live.Column {
	return live.TextColumn(column, func(r *live.Row) string { return of(eventOf(r)) })
}

func hiddenColumn(name string, of func(e row) string) live.Column {
	return live.HiddenColumn(name, func(r *live.Row) string { return of(eventOf(r)) })
}

// toColumn shows the status that an event leads to or, if it has none, what happened.
func toColumn() live.Column {
	return live.Column{
		Column: ui.Column{Header: "To", Name: "to", Rank: 9, Keep: true},
		Cell: func(r *live.Row, at live.Moment) ui.Cell {
			arrow := "-> "
			if at.UTF8 {
				arrow = "→ "
			}
			if e := eventOf(r); e.From == nil || e.To == nil {
				return r.Status
			}
			return ui.Toned(r.Status.Tone, arrow+r.Status.Text)
		},
		Text:    func(r *live.Row) string { return r.Status.Text },
		Compare: func(x, y *live.Row) int { return strings.Compare(x.Status.Text, y.Status.Text) },
	}
}

func amountColumn() live.Column {
	text := func(r *live.Row) string {
		if source := eventOf(r).Data.Source; source != nil {
			return cmdutil.Money(source.Amount, source.Currency)
		}
		return ""
	}
	return live.Column{
		Column: ui.Column{Header: "Amount", Name: "amount", Right: true, Rank: 5},
		Cell:   func(r *live.Row, _ live.Moment) ui.Cell { return ui.Text(text(r)) },
		Text:   text,
		Value: func(r *live.Row, _ time.Time) (float64, bool) {
			if source := eventOf(r).Data.Source; source != nil {
				return cmdutil.AmountValue(source.Amount)
			}
			return 0, false
		},
	}
}

// clock is a time of the day, with its date unless that is today's, in the time zone of this machine.
func clock(t, now time.Time) string {
	t = t.Local()
	if t.Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
		return t.Format("01-02 15:04:05")
	}
	return t.Format(time.TimeOnly)
}
