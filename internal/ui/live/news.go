package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

const (
	// keptNews is how many changes are kept for the strip and for N.
	keptNews = 500
	// freshFor is how long a changed row is marked.
	freshFor = time.Minute
)

// An item is a change of a row.
type item struct {
	at       time.Time // when it was learnt
	id       string
	from, to ui.Cell
	why      string
}

// news has the latest changes, the latest last.
type news struct {
	items []item
	// next is how far back N has gone: the index in items that it shows next, from the end.
	next int
}

func (n *news) add(i item) {
	if len(n.items) == keptNews {
		n.items = slices.Delete(n.items, 0, keptNews/10)
	}
	n.items = append(n.items, i)
	n.next = 0
}

// latest returns the latest changes, the latest first.
func (n *news) latest(most int) []item {
	items := slices.Clone(n.items[max(len(n.items)-most, 0):])
	slices.Reverse(items)
	return items
}

// change puts a row that has changed, and keeps the change as news.
func (m *model) change(row Row, from ui.Cell) {
	now := m.now()
	e := m.board.put(row)
	e.changed = now
	m.news.add(item{at: now, id: row.ID, from: from, to: row.Status, why: row.Why})
	if slices.Contains(m.view.config.Notify, row.Status.Text) {
		m.signalFor = row
		m.signals++
	}
}

// signalPause is the least time between two signals.
const signalPause = time.Second

// signal returns the escape sequences of the bell and of a notice of the desktop (OSC 9, as iTerm2, Windows Terminal,
// kitty and others have it) about the rows that have changed since the last one; empty if there is nothing to tell. A
// notice names the row by its identifier: the screen of a desktop may be seen by others. It begins with a word of its
// own, since ConEmu and Windows Terminal take a number at the beginning for a command: 9;7 runs a program, 9;4 shows
// progress.
func (m *model) signal() string {
	if m.signals == 0 || m.now().Sub(m.signalled) < signalPause {
		return ""
	}
	row := m.signalFor
	text := "payctl: " + row.ID + " " + row.Status.Text
	if others := m.signals - 1; others > 0 {
		text += fmt.Sprintf(", %d more", others)
	}
	m.signals, m.signalled = 0, m.now()
	return "\a\x1b]9;" + asciiOnly(m.view.config.Streams.Cut(text, 100)) + "\x1b\\"
}

// asciiOnly replaces what an old terminal could misread within an escape sequence.
func asciiOnly(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
}

const (
	widestStatus = 22 // columns of a status: resubmission_required
	shortID      = 14 // columns of an identifier in the news: its end, by which identifiers differ
)

// newsPane shows the latest changes, the latest first.
func (m *model) newsPane(r rect) []string {
	var lines []string
	for i, n := range m.news.latest(r.height) {
		head := n.at.In(m.view.config.Zone).Format("15:04") + " "
		if i == 0 {
			head = m.symbol("*", "●") + head
		} else {
			head = " " + head
		}
		from, arrow := "", ""
		if n.from.Text != "" {
			from, arrow = m.cut(n.from.Text, widestStatus), " "+m.symbol("->", "→")+" "
		}
		to := m.cut(n.to.Text, widestStatus)
		room := r.width - ui.CellWidth(head+from+arrow+to) - 2*columnGap
		id := m.view.config.Streams.Tail(n.id, max(min(room, shortID), 4))
		line := m.paint(ui.Dim, head) + m.cut(id, shortID) + "  " + from + arrow + m.paint(n.to.Tone, to)
		if rest := room - ui.CellWidth(m.cut(id, shortID)); rest > columnGap+4 && n.why != "" {
			line += "  " + m.paint(ui.Dim, m.cut(n.why, rest))
		}
		lines = append(lines, m.clip(line, r.width))
	}
	if len(lines) == 0 {
		lines = append(lines, m.paint(ui.Dim, m.fit(" The latest changes will be listed here.", r.width)))
	}
	return pad(lines, r.height)
}
