package live

const (
	enoughRows   = 16  // that the list keeps before the details get lines below it
	leastDetails = 6   // lines of details below the list, with their rule; fewer say nothing
	stripLines   = 2   // lines about the selected row where there is no room for its details
	leastStrip   = 12  // rows of a list that leaves these lines
	mostNote     = 4   // lines of a note, such as the cause of an outage
	namedGroups  = 100 // columns of a screen that has room for the names of the groups in the list
)

// A layout says how many lines each part of the screen gets. From the top: the title, the groups, the filter, the
// heading of the list and the list, the details or a few lines about the selected row, a note, and the keys.
type layout struct {
	tabs, filter               bool
	list, strip, details, note int
}

// layout divides the screen.
func (m *model) layout() layout {
	l := layout{filter: m.typing || m.filterText != "", note: 1}
	_, text := m.noteText()
	l.note = max(len(m.view.config.Streams.Wrap(text, m.width, min(m.height/4, mostNote))), 1)
	left := m.height - 2 - l.note // without title and keys
	if len(m.view.config.Groups) > 0 && left > 3 {
		l.tabs = true
		left--
	}
	if l.filter {
		left--
	}
	hasDetails := m.view.config.Details != nil
	if hasDetails && m.focused {
		l.details = max(left, 0)
		return l
	}
	l.list = max(left-1, 1) // without its heading
	switch below := left / 3; {
	case hasDetails && below >= leastDetails && l.list-below >= enoughRows:
		l.details = below
	case l.list >= leastStrip:
		l.strip = stripLines
	}
	l.list -= l.details + l.strip
	return l
}
