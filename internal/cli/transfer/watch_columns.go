package transfer

import (
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveColumns are those of the live view. The amount is that of the source, which the payer has on the statement; what
// arrives has a column of its own.
func liveColumns() []live.Column {
	state := live.StatusColumn("State", "state")
	why := live.WhyColumn()
	why.Rank = 7
	deadline := live.DeadlineColumn()
	deadline.Header, deadline.Rank = "Expected", 2
	deadline.Cell = func(row *live.Row, at live.Moment) ui.Cell { return expected(row.Deadline, at.Now) }
	return []live.Column{
		live.IDColumn("Transfer", "id"),
		moneyColumn("Amount", "amount", 9, func(t watchui.TransferRecord) payments.TransferSide { return t.Source }),
		state,
		live.AgeColumn(),
		textColumn(ui.Column{Header: "Reference", Name: "reference", Rank: 8, Least: 12, Ends: true},
			func(t watchui.TransferRecord) string { return t.Reference }),
		why,
		deadline,
		textColumn(ui.Column{Header: "Route", Name: "route", Rank: 1, Least: 12, Ends: true},
			func(t watchui.TransferRecord) string { return t.Route }),
		moneyColumn("Delivers", "delivers", 0, func(t watchui.TransferRecord) payments.TransferSide { return t.Destination }),
		textColumn(ui.Column{Header: "Contact", Name: "contact", Least: 12, Ends: true},
			func(t watchui.TransferRecord) string { return t.ContactID }),
		textColumn(ui.Column{Header: "Account", Name: "account", Least: 12, Ends: true},
			func(t watchui.TransferRecord) string { return t.AccountID }),
		alias("status", func(row *live.Row) string { return row.Status.Text }),
		alias("currency", func(row *live.Row) string {
			t := recordOf(row)
			return t.Source.Currency + " " + t.Destination.Currency
		}),
		hiddenColumn("externalId", func(t watchui.TransferRecord) string { return t.ExternalID }),
		hiddenColumn("batch", func(t watchui.TransferRecord) string { return t.BatchID }),
	}
}

func recordOf(row *live.Row) watchui.TransferRecord {
	t, _ := row.Data.(watchui.TransferRecord)
	return t
}

func textColumn(column ui.Column, of func(watchui.TransferRecord) string) live.Column {
	return live.TextColumn(column, func(row *live.Row) string { return of(recordOf(row)) })
}

func hiddenColumn(name string, of func(watchui.TransferRecord) string) live.Column {
	return live.HiddenColumn(name, func(row *live.Row) string { return of(recordOf(row)) })
}

// alias is another name of what a filter may ask for.
func alias(name string, of func(row *live.Row) string) live.Column {
	return live.Column{Column: ui.Column{Header: name, Name: name}, FilterOnly: true, Text: of}
}

// moneyColumn is a column of exact amounts with their currencies. A filter compares them as numbers, and S puts the
// greatest first.
func moneyColumn(header, name string, rank int, of func(watchui.TransferRecord) payments.TransferSide) live.Column {
	show := func(row *live.Row) string {
		side := of(recordOf(row))
		if side.Currency == "" {
			return ""
		}
		return cmdutil.Money(side.Amount, side.Currency)
	}
	return live.Column{
		Column: ui.Column{Header: header, Name: name, Right: true, Rank: rank},
		Cell:   func(row *live.Row, _ live.Moment) ui.Cell { return ui.Text(show(row)) },
		Text:   show,
		Value: func(row *live.Row, _ time.Time) (float64, bool) {
			return cmdutil.AmountValue(of(recordOf(row)).Amount)
		},
		Compare: func(x, y *live.Row) int {
			a, b := of(recordOf(x)).Amount, of(recordOf(y)).Amount
			switch {
			case a != nil && b != nil:
				return b.Cmp(*a)
			case a != nil:
				return -1
			case b != nil:
				return 1
			}
			return 0
		},
	}
}

// expected shows when the money should arrive, or how late it is.
func expected(at, now time.Time) ui.Cell {
	switch {
	case at.IsZero():
		return ui.Cell{}
	case now.After(at):
		return ui.Toned(ui.Bad, live.Age(at, now)+" late")
	}
	return ui.Text("in " + live.Age(now, at))
}
