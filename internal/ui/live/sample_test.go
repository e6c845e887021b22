package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

var now = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

// hostile is a name that would take over a terminal.
var hostile = "Ev\x1b[31mil\x1b]52;c;aGk=\x07\r\n\u202egnp\u0000\u009b2J" + strings.Repeat("x", 10_000)

// testConfig returns the configuration of the tests.
func testConfig() Config {
	name := Column{
		Column: ui.Column{Header: "Name", Name: "name", Rank: 5, Least: 6},
		Cell: func(row *Row, at Moment) ui.Cell {
			name, _ := row.Data.(string)
			if !at.Personal && name != "" {
				name = string([]rune(name)[:1]) + "***"
			}
			return ui.Text(name)
		},
	}
	groups := []ui.Cell{
		ui.Toned(ui.Applicant, "applicant"), ui.Toned(ui.Reviewer, "reviewer"), ui.Toned(ui.Bad, "failed"),
		ui.Toned(ui.Provider, "progress"), ui.Toned(ui.Good, "done"),
	}
	return Config{
		Title: "Identity checks", Noun: "accounts", Details: testDetails, HasPersonal: true, Groups: groups,
		Now: func() time.Time { return now }, ServiceNow: func() time.Time { return now },
		Columns: []Column{
			IDColumn("Account"), name, StatusColumn("Status"), TurnColumn(groups), DeadlineColumn("Until"), AgeColumn(),
			WhyColumn(),
		},
		Reply: func(context.Context, string, bool) (string, error) {
			return "Hello,\n\nthe identity check of your account is running.\n", nil
		},
	}
}

func sample() []Row {
	at := func(d time.Duration) time.Time { return now.Add(-d) }
	rows := []Row{
		{
			Data: "Ada Lovelace", Status: ui.Toned(ui.Reviewer, "under_review"), Group: 1, Since: at(26*time.Hour + time.Minute),
			Why: "A person is looking at the check. (manual_review)",
		},
		{Data: hostile, Status: ui.Toned(ui.Reviewer, "under_review"), Group: 1, Since: at(3 * time.Minute), Why: hostile},
		{
			Data: "Erika Mustermann", Status: ui.Toned(ui.Bad, "rejected"), Group: 2, Since: at(40 * time.Second),
			Why: "The applicant is on a sanctions list. (applicant_sanctioned)",
		},
		{
			Data: "山田太郎", Status: ui.Toned(ui.Applicant, "resubmission_required"), Since: at(400 * 24 * time.Hour),
			Deadline: now.Add(13 * 24 * time.Hour),
		},
		{Data: "", Status: ui.Toned(ui.Applicant, "frozen\x1b[2J"), Since: at(time.Hour), Deadline: now.Add(-time.Hour)},
	}
	for i := range rows {
		rows[i].ID = fmt.Sprint("acc_01kdwcj2m07dx6vaehz84r9gf", i+1)
	}
	for i := range 60 {
		rows = append(rows, Row{
			ID: fmt.Sprintf("acc_01kdwcj2m07dx6vaehz84r9%03d", i), Data: "Sam Smith",
			Status: ui.Toned(ui.Provider, "pending"), Since: at(time.Duration(i) * time.Second), Group: 3,
		})
	}
	return append(rows, Row{
		ID: "acc_01kdwcj2m07dx6vaehz84r9zzz", Data: "Zoe Zed", Status: ui.Toned(ui.Good, "approved"), Since: at(time.Second),
		Group: 4,
	})
}

func testDetails(_ context.Context, row Row) (func(Moment) ui.Details, error) {
	if strings.HasSuffix(row.ID, "gf3") {
		return nil, errors.New("it is \x1b[5mgone")
	}
	return func(at Moment) ui.Details {
		name := "masked"
		if at.Personal {
			name = "Ada Lovelace"
		}
		return ui.Details{
			{Label: "Next", Cells: []ui.Cell{ui.Text("a reviewer decides")}},
			{Label: "Name", Cells: []ui.Cell{ui.Text(name)}},
			{Label: "To do", Cells: []ui.Cell{
				ui.Text("payctl kyc submit " + row.ID + " --field identity_document=@PATH"), ui.Text("second"),
			}},
			{},
			{Label: "Hostile", Cells: []ui.Cell{ui.Text(hostile), ui.Toned(ui.Dim, hostile)}},
			{Label: "Last", Cells: []ui.Cell{ui.Text("end of the story")}},
		}
	}, nil
}

// put adds a row, or replaces the one with its ID.
func (v *View) put(row Row) { v.Update(row.ID, false, func(r *Row) { *r = row }) }

// news is like put, but marks the row as news.
func (v *View) news(row Row) { v.Update(row.ID, true, func(r *Row) { *r = row }) }
