package cmdutil

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// A Tally counts the things that have come to one outcome, for a Progress.
type Tally struct {
	Name string
	Tone ui.Tone
	n    int
}

// A Progress is the line at the bottom of a terminal that shows how far work on many things has come. Notes, warnings
// and rows are printed above it. Its methods are safe for concurrent use. They only count if there is no terminal.
type Progress struct {
	d    *Deps
	hide func()

	mu      sync.Mutex
	all     int
	tallies []Tally
	note    string
	since   time.Time // when it began, or the first of the timed things could be done
	timed   int       // things that took time
	trouble string    // what the service does instead of answering, in the words of Trouble
	paused  time.Time // until when nothing is sent because the service asked for a pause
}

// StartProgress shows the progress of work on so many things until Stop is called. The note says what is waited for. It
// stands in the place of a rate until Begin ends it.
func StartProgress(d *Deps, all int, note string, tallies ...Tally) *Progress {
	p := &Progress{d: d, all: all, note: note, tallies: slices.Clone(tallies), since: d.Now()}
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

// Begin ends the note and begins to measure the rate.
func (p *Progress) Begin() { p.update(func() { p.note, p.timed, p.since = "", 0, p.d.Now() }) }

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

// Trouble warns that the service does not do what it should, which the line shows until it is called with nil.
func (p *Progress) Trouble(err error) {
	p.update(func() {
		if p.trouble = ""; err != nil {
			p.trouble, _ = Trouble(err)
		} else if p.note == "" {
			p.timed, p.since = 0, p.d.Now()
		}
	})
	p.d.Trouble(err)
}

// Pause shows that the service asked for a pause until a time.
func (p *Progress) Pause(until time.Time) { p.update(func() { p.paused = until }) }

// line returns the pieces of the line, the most important first: the terminal's line cuts the others.
func (p *Progress) line(int) []ui.Cell {
	p.mu.Lock()
	defer p.mu.Unlock()
	ended := 0
	for _, t := range p.tallies {
		ended += t.n
	}
	all := ui.Thousands(p.all)
	cells := []ui.Cell{
		ui.Text(fmt.Sprintf("%*s of %s  ", len(all), ui.Thousands(ended), all)), p.pace(p.d.Now(), ended),
	}
	for _, t := range p.tallies {
		if t.n > 0 {
			cells = append(cells, ui.Toned(t.Tone, "  "+ui.Thousands(t.n)+" "+t.Name))
		}
	}
	return cells
}

// leastMeasured is how long a rate is measured before it is shown.
const leastMeasured = time.Second

// pace is what the line shows of the time: what the work waits for, or how much time is left at its rate.
func (p *Progress) pace(now time.Time, ended int) ui.Cell {
	passed := now.Sub(p.since)
	switch pause := p.paused.Sub(now); {
	case p.trouble != "":
		return ui.Toned(ui.Bad, "the service "+p.trouble)
	case pause > 0:
		return ui.Toned(ui.Warn, "paused by the service's rate limit, "+ui.Age(pause)+" left")
	case p.note != "":
		return ui.Toned(ui.Dim, p.note+" for "+ui.Age(passed))
	case p.timed > 0 && passed >= leastMeasured && ended < p.all:
		return ui.Text(ui.Age(time.Duration(float64(p.all-ended)*float64(passed)/float64(p.timed))) + " left")
	}
	return ui.Cell{}
}
