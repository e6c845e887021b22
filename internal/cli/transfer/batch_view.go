package transfer

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/batch"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// planView shows a plan to a person.
func planView(p *batch.Plan) term.Details {
	view := term.Details{
		{Label: "Batch", Cells: []term.Cell{term.Text(p.BatchID)}},
		{Label: "Rows", Cells: []term.Cell{term.Toned(term.Bold, strconv.Itoa(p.Rows))}},
	}
	add := func(label string, lines ...string) {
		if len(lines) == 0 {
			return
		}
		cells := make([]term.Cell, len(lines))
		for i, line := range lines {
			cells[i] = term.Text(line)
		}
		view = append(view, term.Field{Label: label, Cells: cells})
	}
	if p.Flexible > 0 {
		add("Without amount", "whatever arrives, in "+deps.Count(p.Flexible, "row(s)"))
	}
	add("Totals", totals(p.Totals)...)
	var fees, routes, contacts []string
	for _, r := range p.Routes {
		routes = append(routes, fmt.Sprintf("%s by %s, %s", r.Route, r.Provider, deps.Count(r.Rows, "row(s)")))
		for _, f := range r.Fees {
			fees = append(fees, feeLine(r, f))
		}
	}
	for _, c := range p.Contacts {
		contacts = append(contacts, fmt.Sprintf("%s (%s) %s, %s", c.Label, c.HolderName, c.ID, deps.Count(c.Rows, "row(s)")))
	}
	if p.MoreContacts > 0 {
		contacts = append(contacts, fmt.Sprintf("and %d more", p.MoreContacts))
	}
	if p.Unverified > 0 {
		contacts = append(contacts, deps.Count(p.Unverified, "row(s)")+" to further contacts, which were not looked up")
	}
	add("Routes", routes...)
	add("Fees", fees...)
	add("Contacts", contacts...)
	return view
}

func totals(all []batch.Total) []string {
	var lines []string
	for _, t := range all {
		line := t.Amount.String() + " " + t.Currency
		if t.AmountType == payments.AmountTypeTarget {
			line += " delivered"
		}
		lines = append(lines, line+" in "+deps.Count(t.Rows, "row(s)"))
	}
	return lines
}

func feeLine(r batch.RoutePlan, f batch.FeePlan) string {
	line := f.Amount.String() + " " + f.Currency + " " + f.Type + " (" + f.Side + ")"
	if f.Rate != nil {
		line += ", " + deps.Percent(*f.Rate)
	}
	if f.Estimated {
		line += ", estimated"
	}
	return line + ", " + r.Route
}

func summaryView(s *summary) term.Details {
	view := term.Details{{Label: "Batch", Cells: []term.Cell{term.Text(s.BatchID)}}}
	for _, part := range []struct {
		label string
		count string
	}{{"Created", strconv.Itoa(s.Created) + s.notNew()}, {"Refused", strconv.Itoa(s.Refused)}, {"Unknown", strconv.Itoa(s.Unknown)}, {"Not sent", strconv.Itoa(s.NotSent)}} {
		view = append(view, term.Field{Label: part.label, Cells: []term.Cell{term.Text(part.count)}})
	}
	field := term.Field{Label: "Totals"}
	for _, line := range totals(s.Totals) {
		field.Cells = append(field.Cells, term.Text(line))
	}
	return append(view, field)
}

// redraw is how often progress is drawn.
const redraw = 200 * time.Millisecond

// progress is a line on a terminal that is drawn over itself.
type progress struct {
	d *deps.Deps

	mu    sync.Mutex
	drawn time.Time
	there bool
}

// draw shows a text, cut to one line: what is wrapped could not be drawn over.
func (p *progress) draw(text func() string) {
	if !p.d.ErrTTY || p.d.Quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.d.Now()
	if now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn, p.there = now, true
	_, _ = fmt.Fprint(p.d.Err, "\r\x1b[K"+p.d.Cut(text(), p.d.Width()-1)) // some terminals wrap a line that is full
}

// beside tells something on lines of its own.
func (p *progress) beside(tell func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.there {
		_, _ = fmt.Fprint(p.d.Err, "\r\x1b[K")
		p.there = false
	}
	tell()
}

// clear removes the line.
func (p *progress) clear() { p.beside(func() {}) }
