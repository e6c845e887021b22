package live

import (
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/chart"
)

const (
	// tallyAgain is how often the rows are counted anew for the charts after some have changed, unless they are fewer than
	// manyRows: then each time. If none has changed, they are counted anew after tallyIdle, since their ages do.
	tallyAgain = 5 * time.Second
	tallyIdle  = time.Minute
	manyRows   = 5_000
	// tallyHours is how many hours the sparkline shows.
	tallyHours = 24
	// tallyStatuses is how many statuses are counted for each frame. A service that makes up more has them counted as the
	// rows are.
	tallyStatuses = 100
)

// A tally is what the charts count over all rows.
type tally struct {
	at       time.Time
	changes  int // of the board at that time
	statuses []chart.Bar
	ages     chart.Ages      // of the rows in groups that do not end
	ended    [tallyHours]int // rows that have got into groups that end, by the hour, the last hour last
}

// tallied returns the tally. That of many rows may be some seconds old.
func (m *model) tallied(now time.Time) *tally {
	again := tallyAgain
	if m.tally.changes == m.board.changes {
		again = tallyIdle
	}
	if len(m.board.all) >= manyRows && !m.tally.at.IsZero() && now.Sub(m.tally.at) < again {
		if len(m.board.statuses) <= tallyStatuses {
			m.tally.statuses = m.statusBars()
		}
		return &m.tally
	}
	m.tally = tally{at: now, changes: m.board.changes, statuses: m.statusBars()}
	for _, e := range m.board.all {
		switch age := now.Sub(e.row.Since); {
		case e.row.Since.IsZero():
		case !m.view.config.Groups[e.row.Group].Ends:
			m.tally.ages[chart.AgeClass(age)]++
		case age >= 0 && age < tallyHours*time.Hour:
			m.tally.ended[tallyHours-1-age/time.Hour]++
		}
	}
	return &m.tally
}

// statusBars returns a bar for each status.
func (m *model) statusBars() (bars []chart.Bar) {
	for _, c := range m.board.counts() {
		bars = append(bars, chart.Bar{Label: c.Status.Text, Count: c.N, Tone: c.Status.Tone})
	}
	return bars
}

// chartsPane draws how many rows have each status, for how long the open ones have waited, and how many came to an end
// in each hour.
func (m *model) chartsPane(r rect) []string {
	const gap = 3
	width := (r.width - 2*gap) / 3
	streams := m.view.config.Streams
	t := m.tallied(m.now())
	height := r.height - 2 // a title and an empty line
	panes := [][]string{
		m.chart("By status", chart.Bars(streams, t.statuses, width, height)),
		m.chart("Open for", chart.Histogram(streams, t.ages, ui.Applicant, width, height)),
		m.chart("Ended per hour", chart.Sparkline(streams, t.ended[:], "h", ui.Good, width, height)),
	}
	lines := make([]string, r.height)
	for i := range r.height - 1 {
		for j, pane := range panes {
			text := ""
			if i < len(pane) {
				text = pane[i]
			}
			lines[i] += text
			if j < len(panes)-1 {
				lines[i] += strings.Repeat(" ", max(width-ui.CellWidth(text), 0)+gap)
			}
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// chart is a chart below its title.
func (m *model) chart(title string, drawn []chart.Line) []string {
	lines := []string{m.paint(ui.Bold, title)}
	for _, line := range drawn {
		lines = append(lines, line.Paint(m.view.config.Streams))
	}
	return lines
}
