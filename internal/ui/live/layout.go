package live

import tea "charm.land/bubbletea/v2"

const (
	leastRows          = 5   // that the list keeps before anything below it gets lines
	leastDetails       = 5   // lines of details below the list, with their rule; fewer say nothing
	mostBelow          = 16  // lines of details below the list
	splitScreen        = 160 // columns of a screen that shows list and details side by side
	chartScreen        = 110 // columns of a screen that has room for charts
	chartLines         = 7
	leastWithChart     = 20 // lines below the tabs of a screen that has room for charts
	tallChartLines     = 10 // with all statuses of accounts
	leastWithTallChart = 34 // lines below the tabs of a screen that has room for those
	mostNote           = 3  // lines of a note, such as the cause of an outage
	leastWithLongNote  = 20 // lines of a screen on which a note may have more than one
)

// A rect is a part of the screen, in lines and columns from its upper left corner.
type rect struct{ x, y, width, height int }

func (r rect) has(mouse tea.Mouse) bool {
	return mouse.X >= r.x && mouse.X < r.x+r.width && mouse.Y >= r.y && mouse.Y < r.y+r.height
}

// A layout says what is where on the screen. What has no height is left out.
type layout struct {
	tabs    int // the line of the groups; -1: none
	charts  rect
	list    rect // without its heading, which is in the line above
	news    rect
	details rect
	// bottom is the height of the note, or of the question in its place. The keys are below.
	bottom int
}

// layout divides the screen. From the top: the title, the groups, the filter, charts, the heading of the list and the
// list, the latest changes, the details, a note and the keys.
func (m *model) layout() layout {
	l := layout{tabs: -1, bottom: 1}
	switch {
	case m.question != nil:
		l.bottom = max(min(len(m.question.lines(m, m.height/2)), m.height/2), 1)
	case m.height >= leastWithLongNote:
		_, text := m.bottomText()
		l.bottom = max(len(m.view.config.Streams.Wrap(text, m.width, mostNote)), 1)
	}
	y := 1
	left := m.height - 2 - l.bottom // without title and keys
	if len(m.view.config.Groups) > 0 && left > 3 {
		l.tabs = y
		y++
		left--
	}
	if m.hasFilterLine() {
		y++
		left--
	}
	width := m.width
	hasDetails := m.view.config.Details != nil
	switch {
	case hasDetails && m.width >= splitScreen:
		width = m.width*3/5 - columnGap
		l.details = rect{x: width + columnGap, y: y, width: m.width - width - columnGap, height: max(left, 0)}
	case hasDetails && m.focused: // the details replace the list
		l.details = rect{y: y, width: m.width, height: max(left, 0)}
		return l
	}
	if m.width >= chartScreen && left >= leastWithChart && !m.hidesCharts && m.hasGroupsOfStatus() {
		l.charts = rect{y: y, width: width, height: chartLines}
		if left >= leastWithTallChart {
			l.charts.height = tallChartLines
		}
		y += l.charts.height
		left -= l.charts.height
	}
	left-- // the heading of the list
	y++
	if n := newsLines(left); n > 0 && m.hasGroupsOfStatus() {
		l.news = rect{width: width, height: n}
		left -= n
	}
	below := min(left*2/5, mostBelow) // two fifths: the list is what is read most
	if hasDetails && m.width < splitScreen && left-below >= leastRows && below >= leastDetails {
		l.details = rect{width: width, height: below}
		left -= below
	}
	l.list = rect{y: y, width: width, height: max(left, 1)}
	y += l.list.height
	l.news.y = y
	if m.width < splitScreen {
		l.details.y = y + l.news.height
	}
	return l
}

// newsLines is how many of so many lines the latest changes get.
func newsLines(lines int) int {
	switch {
	case lines < 10:
		return 0
	case lines < 20:
		return 2
	case lines < 30:
		return 4
	}
	return 6
}

// hasGroupsOfStatus reports whether the rows are in groups between which they change, as those of events do not.
func (m *model) hasGroupsOfStatus() bool { return len(m.view.config.Groups) > 0 && !m.view.config.Log }

func (m *model) hasFilterLine() bool { return m.typing || m.filterText != "" }
