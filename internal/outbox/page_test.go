package outbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
)

// A pageRow is a kind of service in the table of docs/EXACTLY-ONCE.md, with the settings for it.
type pageRow struct {
	kind
	change   func(*service)
	hasList  bool
	listLag  time.Duration
	givenKey string
}

// pageRows are the rows of the table by their first cell.
var pageRows = map[string]pageRow{
	"keeps references unique": {kind: kind{unique: true}, hasList: true},
	"honours keys":            {kind: kind{keys: true}, hasList: true},
	"honours keys; the line has `--idempotency-key` on one machine": {
		kind: kind{keys: true}, hasList: true, givenKey: "k",
	},
	"neither":            {hasList: true},
	"neither; lists lag": {hasList: true, change: func(s *service) { s.lag = 5 * time.Second }},
	"neither; lists lag; `list_lag`": {
		hasList: true, change: func(s *service) { s.lag = 5 * time.Second }, listLag: 5 * time.Second,
	},
	"neither; lists hide references":      {hasList: true, change: func(s *service) { s.hidden = []string{"reference"} }},
	"neither; it changes references":      {hasList: true, change: func(s *service) { s.quirk = rewrites }},
	"neither; no list":                    {},
	"neither; no list; `list_lag: never`": {listLag: outbox.ListsAreUseless},
	"honours keys; no list":               {kind: kind{keys: true}},
}

// pageColumns are the columns of outcomes, by heading.
var pageColumns = map[string]func(*pageTest) string{
	"the answer is lost": func(p *pageTest) string {
		p.lose = func() (request, response bool) { return false, p.posts == 0 }
		require.Error(p, p.pay(p.here))
		return p.outcome(nil, p.pay(p.here))
	},
	"the request is lost": func(p *pageTest) string {
		isFirst := true
		p.lose = func() (request, response bool) { request, isFirst = isFirst, false; return request, false }
		require.Error(p, p.pay(p.here))
		return p.outcome(nil, p.pay(p.here))
	},
	"a second machine pays at once": func(p *pageTest) string {
		var there error
		p.arrived = func(*machine) { p.arrived = nil; there = p.pay(p.there) }
		here := p.pay(p.here)
		return p.outcome(there, here)
	},
	"a request arrives late": func(p *pageTest) string {
		isFirst := true
		p.lose = func() (request, response bool) { request, isFirst = isFirst, false; return request, false }
		p.late = func() bool { return true }
		here, there := p.pay(p.here), p.pay(p.there)
		p.deliver()
		p.clock.Advance(time.Hour) // lists show everything
		if here != nil {
			here = p.pay(p.here)
		}
		return p.outcome(there, here)
	},
}

// A pageTest is one cell of the table: a service and two machines.
type pageTest struct {
	*service
	*testing.T
	row         pageRow
	here, there *machine
	noted       bool // the user was told that a second machine is not noticed
}

// pay runs the line on a machine.
func (p *pageTest) pay(m *machine) (err error) {
	p.Helper()
	m.options = func(o *outbox.Options) {
		o.Note = func(text string) { p.noted = p.noted || strings.Contains(text, "a second machine") }
	}
	key := payments.Idempotency{}
	if m == p.here {
		key.Key = p.row.givenKey
	}
	m.run(p, false, func(o *outbox.Outbox) { _, err = o.CreateAutoTransfer(p.Context(), transfer("r", "5"), key) })
	return err
}

// outcome describes the payment in the words of the page. The errors are those of the last runs.
func (p *pageTest) outcome(first, last error) string {
	exit := ""
	for _, err := range []error{first, last} {
		switch {
		case err == nil:
		case payments.IsProblem(err, payments.ProblemInvalidSettings):
			exit = ", exit 2"
		default:
			isPaidTwice := payments.IsProblem(err, payments.ProblemPaidTwice)
			require.True(p, isPaidTwice || payments.IsProblem(err, payments.ProblemOutcomeUnknown), "%v", err)
			exit = ", exit 10"
		}
	}
	switch paid := len(p.with("sent", "r")); {
	case paid == 0:
		return "not paid" + exit
	case paid == 1:
		return "paid once" + exit
	case exit == "":
		require.True(p, p.noted, "the user was not told that this is not noticed")
		return "may be paid twice, not noticed"
	}
	return "may be paid twice" + exit
}

// TestExactlyOncePage compares each outcome in the table of docs/EXACTLY-ONCE.md with what happens at such a service.
func TestExactlyOncePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "EXACTLY-ONCE.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n| the service | ")
	require.True(t, found)
	table, _, _ = strings.Cut("the service | "+table, "\n\n")
	rows := strings.Split(table, "\n")
	headings, seen := pageCells(rows[0]), 0
	for _, line := range rows[2:] {
		cells := pageCells(line)
		row, isKnown := pageRows[cells[0]]
		require.True(t, isKnown, cells[0])
		seen++
		for at, heading := range headings {
			run := pageColumns[heading]
			if run == nil {
				continue // a column of explanations
			}
			p := &pageTest{service: newService(t, row.kind), T: t, row: row}
			if row.change != nil {
				row.change(p.service)
			}
			p.noList, p.here, p.there = !row.hasList, p.machine(t), p.machine(t)
			p.here.lag, p.there.lag = row.listLag, row.listLag
			require.Equal(t, cells[at], run(p), "%s, %s", cells[0], heading)
		}
	}
	require.Equal(t, len(pageRows), seen, "rows of the page")
	for heading := range pageColumns {
		require.Contains(t, headings, heading)
	}
}

// pageCells returns the cells of a line of the table.
func pageCells(line string) (cells []string) {
	for cell := range strings.SplitSeq(strings.Trim(line, "| "), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}
