// Package progress is the line at the bottom of a terminal that shows how far work on many things has come.
package progress

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// A Tally counts the things that have come to one outcome, for a Progress.
type Tally struct {
	Name string
	Tone ui.Tone
	// Open reports that these things have not ended and are only counted besides.
	Open bool
	n    int
}

// A Progress is the line at the bottom of a terminal that shows how far work on many things has come. Notes, warnings
// and rows are printed above it. Its methods are safe for concurrent use. They only count if there is no terminal.
type Progress struct {
	d    *cmdutil.Deps
	hide func()

	mu          sync.Mutex
	all         int
	tallies     []Tally
	note        string
	timed       int       // things that took time
	since       time.Time // when the first of them could be done
	isWait      bool
	began, ends time.Time // of a wait; zero: it never ends
	trouble     string    // what the service does, as cmdutil.Trouble has it
	outage      time.Time // since when it does that; zero: it answers
	paused      time.Time // until when nothing is sent because the service asked for a pause
}

// Start shows the progress of work on so many things until Stop is called. Work that has a note in place of its rate begins
// with Begin.
func Start(d *cmdutil.Deps, all int, note string, tallies ...Tally) *Progress {
	p := &Progress{d: d, all: all, note: note, tallies: slices.Clone(tallies), since: d.Now()}
	p.hide = d.ShowStatus(p.line)
	return p
}

// StartWait shows the progress of a wait until Stop is called. Of a single thing it shows the note alone. The wait ends
// by itself after timeout; zero: never.
func StartWait(d *cmdutil.Deps, all int, note string, timeout time.Duration, tallies ...Tally) *Progress {
	p := &Progress{d: d, all: all, note: note, tallies: slices.Clone(tallies), isWait: true, began: d.Now()}
	if timeout > 0 {
		p.ends = p.began.Add(timeout)
	}
	p.hide = d.ShowStatus(p.line)
	return p
}

// Stop removes the line. Calling it again does nothing.
func (p *Progress) Stop() { p.hide() }

func (p *Progress) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// Note shows what is done before the work begins.
func (p *Progress) Note(text string) { p.update(func() { p.note = text }) }

// Begin ends the note and begins to measure the rate.
func (p *Progress) Begin() {
	p.update(func() { p.note, p.timed, p.since = "", 0, p.d.Now() })
}

// Add adds to a tally. Timed reports that what has come to that outcome took time, and so counts for the rate.
func (p *Progress) Add(name string, by int, timed bool) {
	p.update(func() {
		if i := slices.IndexFunc(p.tallies, func(t Tally) bool { return t.Name == name }); i >= 0 {
			p.tallies[i].n += by
		}
		if timed {
			p.timed += by
		}
	})
}

// Unreachable warns that the service does not do what it should, and shows for how long until Reachable is called.
func (p *Progress) Unreachable(err error) {
	p.update(func() {
		p.trouble, _ = cmdutil.Trouble(err)
		p.outage = p.d.Now()
	})
	p.d.Trouble(err)
}

// Reachable reports that the service answers again.
func (p *Progress) Reachable() {
	p.update(func() { p.outage, p.timed, p.since = time.Time{}, 0, p.d.Now() })
	p.d.Recovered()
}

// Pause shows that the service asked for a pause until a time, unless it is short.
func (p *Progress) Pause(until time.Time) {
	p.update(func() {
		if until.Sub(p.d.Now()) >= leastPause {
			p.paused = until
		}
	})
}

// leastMeasured is how long a rate is measured before it is shown.
const leastMeasured = time.Second

// leastPause is the shortest pause that is shown. A service that asks for a second again and again is slow, which the
// rate shows.
const leastPause = 2 * time.Second

// line returns the pieces of the line for so many columns.
func (p *Progress) line(columns int) []ui.Cell {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.d.Now()
	all := ui.Thousands(p.all)
	if p.isWait && p.all == 1 {
		return fitParts(p.pace(now), columns)
	}
	parts := []part{
		{2, p.bar(min(max(columns/barShare, leastBar), mostBar))},
		{5, []ui.Cell{ui.Text(fmt.Sprintf("%*s of %s", len(all), ui.Thousands(p.ended()), all))}},
	}
	for _, t := range p.tallies {
		rank := 4
		if t.Tone == ui.Good {
			rank = 0 // it follows from the others
		}
		if t.n > 0 || p.isWait && t.Tone == ui.Good { // the status that is waited for
			parts = append(parts, part{rank, []ui.Cell{ui.Toned(t.Tone, ui.Thousands(t.n)+" "+t.Name)}})
		}
	}
	return fitParts(append(parts, p.pace(now)...), columns)
}

// ended is how many things have come to an outcome.
func (p *Progress) ended() (n int) {
	for _, t := range p.tallies {
		if !t.Open {
			n += t.n
		}
	}
	return n
}

// pace returns what the line shows of the time: what the work waits for, or its rate and the time that is left.
func (p *Progress) pace(now time.Time) []part {
	left := p.all - p.ended()
	rate := 0.0 // things a second
	if passed := now.Sub(p.since); passed >= leastMeasured {
		rate = float64(p.timed) / passed.Seconds()
	}
	switch pause := p.paused.Sub(now); {
	case !p.outage.IsZero():
		return []part{{3, []ui.Cell{ui.Toned(ui.Bad, "the service "+p.trouble+", "+seconds(now.Sub(p.outage)))}}}
	case pause > 0:
		return []part{{3, []ui.Cell{ui.Toned(ui.Warn, "paused by the service's rate limit, "+seconds(pause)+" left")}}}
	case p.isWait:
		took := "for " + seconds(now.Sub(p.began))
		if !p.ends.IsZero() {
			took += " of " + seconds(p.ends.Sub(p.began))
		}
		if p.all > 1 {
			return []part{{3, []ui.Cell{ui.Toned(ui.Dim, took)}}}
		}
		return []part{{4, []ui.Cell{ui.Toned(ui.Dim, p.note)}}, {3, []ui.Cell{ui.Toned(ui.Dim, took)}}}
	case p.note != "":
		return []part{{3, []ui.Cell{ui.Toned(ui.Dim, p.note)}}}
	case left == 0:
		return nil
	case rate > 0:
		ahead := time.Duration(float64(left) / rate * float64(time.Second))
		return []part{{1, []ui.Cell{ui.Toned(ui.Dim, formatRate(rate))}}, {3, []ui.Cell{ui.Text(seconds(ahead) + " left")}}}
	}
	return nil
}

// A part of the line is left out in favour of those of higher ranks.
type part struct {
	rank  int
	cells []ui.Cell
}

func (p part) width() (columns int) {
	for _, cell := range p.cells {
		columns += ui.CellWidth(ui.Sanitize(cell.Text))
	}
	return columns
}

const partGap = "  "

// fitParts puts together those parts for which there is room. What is too wide all the same is cut by the terminal's
// line.
func fitParts(parts []part, columns int) []ui.Cell {
	parts = slices.DeleteFunc(parts, func(one part) bool { return one.width() == 0 })
	width := func() (sum int) {
		for _, one := range parts {
			sum += one.width() + len(partGap)
		}
		return sum - len(partGap)
	}
	for len(parts) > 1 && width() > columns {
		least := slices.MinFunc(parts, func(a, b part) int { return cmp.Compare(a.rank, b.rank) }).rank
		parts = slices.DeleteFunc(parts, func(one part) bool { return one.rank == least })
	}
	var cells []ui.Cell
	for i, one := range parts {
		if i > 0 {
			cells = append(cells, ui.Text(partGap))
		}
		cells = append(cells, one.cells...)
	}
	return cells
}

// The columns of the bar: a share of the terminal's, so that the bar does not change while numbers grow.
const (
	barShare = 8
	leastBar = 8
	mostBar  = 24
)

// bar draws how much of the work has come to which outcome. What needs to be seen has a column at least. The marks
// differ without colours, too.
func (p *Progress) bar(columns int) []ui.Cell {
	tones, marks := []ui.Tone{ui.Good, ui.Reviewer, ui.Bad, ui.Dim}, []string{"#", "?", "x", "."}
	if p.d.UTF8 {
		marks = []string{"█", "▓", "▒", "░"}
	}
	var sizes [4]int
	for i, tone := range tones[:3] {
		n := 0
		for _, t := range p.tallies {
			if t.Tone == tone && !t.Open {
				n += t.n
			}
		}
		sizes[i] = min(n*columns/max(p.all, 1), columns)
		if tone != ui.Good {
			sizes[i] = max(sizes[i], min(n, 1))
		}
	}
	sizes[0] = min(sizes[0], columns-sizes[1]-sizes[2])
	sizes[3] = columns - sizes[0] - sizes[1] - sizes[2]
	if p.ended() >= p.all { // the columns were rounded down
		sizes[0], sizes[3] = sizes[0]+sizes[3], 0
	}
	cells := make([]ui.Cell, len(tones))
	for i, tone := range tones {
		cells[i] = ui.Toned(tone, strings.Repeat(marks[i], sizes[i]))
	}
	return cells
}

// seconds formats a time that is left or has passed, as exactly as is of interest.
func seconds(d time.Duration) string {
	text := d.Round(time.Second).String()
	if d >= time.Hour {
		text = d.Round(time.Minute).String()
	}
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

// formatRate formats a rate in things a second, or a minute if they are few.
func formatRate(rate float64) string {
	switch {
	case rate < 1:
		return fmt.Sprintf("%.0f/min", rate*60)
	case rate < 10:
		return fmt.Sprintf("%.1f/s", rate)
	}
	return ui.Thousands(int(rate+0.5)) + "/s"
}
