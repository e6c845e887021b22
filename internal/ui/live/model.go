package live

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/ui"
)

const (
	// framesPerSecond is how often the screen is drawn at most: a key is answered within 42 ms. An idle program wakes
	// up as often, for a tenth of a millisecond each. That is more than half the cost of an idle view.
	framesPerSecond = 24
	// idleFrame is the time between redraws while nothing happens. Durations are shown in seconds.
	idleFrame = time.Second
	// personalFor is how long P shows personal data.
	personalFor = time.Minute
)

// A page is what the screen shows.
type page int

const (
	listPage page = iota
	detailsPage
	helpPage
	replyPage
)

// A model is the state of the view. It is used only while View.mu is held.
type model struct {
	view    *View
	streams *ui.Streams
	ctx     context.Context //nolint:containedctx // the loop's calls take none
	board   *board

	width, height int
	page          page
	pageTop       int // first line of the details or the help on the screen
	columns       []ui.Column
	wide          []int // the greatest widths of the columns so far, so they do not move

	// The selected row, and whether the user has selected it. Otherwise the first row is selected. A selected row keeps
	// its place until another is selected.
	selected *entry
	moved    bool
	index    int // among the shown rows
	top      int // index of the first row on the screen

	filterText string
	typing     bool // the filter

	known, asked *pageRead // the last details or reply that was read, and that is being read

	personalUntil time.Time

	loading      bool
	trouble      string
	troubleSince time.Time
	polled       string
	note         string
	changedAt    time.Time // when the last change came
	said         ui.Cell   // the answer to the last key

	copied    string  // the last text sent to the clipboard
	confirmed ui.Cell // the message when the clipboard has it

	closed error // why the user closed the view; nil means it is open
	isOver bool  // the work of Run has ended
}

func newModel(v *View) *model {
	groups := v.config.Groups
	board := &board{
		columns: v.config.Columns, byID: map[string]*entry{}, groups: make([]int, len(groups)), group: allGroups,
		rare: slices.IndexFunc(groups, func(g ui.Cell) bool { return g.Text == v.config.Rare }),
	}
	m := &model{
		view: v, streams: v.config.Streams, board: board, loading: true,
		wide: make([]int, len(v.config.Columns)), ctx: context.Background(),
	}
	for i, c := range v.config.Columns {
		c.Rank = len(v.config.Columns) - i
		m.columns = append(m.columns, c.Column)
	}
	return m
}

// The messages of the loop, besides those of bubbletea, pageRead and replyRead.
type (
	updated struct{} // the model has changed
	ticked  struct{} // a second is over
)

// now is the time of the wall clock, which also counts while the machine sleeps.
func (m *model) now() time.Time { return m.view.config.Now().Round(0) }

func (m *model) serviceNow() time.Time { return m.view.config.ServiceNow().Round(0) }

func (m *model) showsPersonal() bool {
	return m.view.config.ShowPersonal || m.now().Before(m.personalUntil)
}

func (m *model) moment() Moment { return Moment{Now: m.serviceNow(), Personal: m.showsPersonal()} }

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return nextTick() }

func nextTick() tea.Cmd {
	return tea.Tick(idleFrame, func(time.Time) tea.Msg { return ticked{} })
}

// Update implements tea.Model.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	m.view.mu.Lock()
	defer m.view.mu.Unlock()
	var cmd tea.Cmd
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
	case ticked:
		cmd = nextTick()
	case updated:
		m.view.notified = false
	case pageRead:
		if m.isShown(&message) {
			message.at = m.now()
			m.known, m.asked = &message, nil
		}
	case replyRead:
		cmd = m.copyReply(message)
	case tea.ClipboardMsg:
		m.confirm(message.Content)
	case tea.PasteMsg:
		if m.typing {
			m.setFilter(m.filterText + strings.Join(strings.Fields(message.Content), " "))
		}
	case tea.KeyPressMsg:
		cmd = m.press(message)
	}
	m.refresh()
	if m.closed != nil || m.isOver {
		return m, tea.Quit
	}
	if len(m.board.touched) > 1 { // the selected row may keep its place
		cmd = tea.Batch(cmd, func() tea.Msg { return updated{} })
	}
	return m, tea.Batch(cmd, m.requestPage())
}

// changeText tells what has changed.
func (m *model) changeText(row *Row, from string) string {
	at := row.Since // by the service's clock
	if at.IsZero() {
		at = m.serviceNow()
	}
	words := []string{at.In(m.serviceNow().Location()).Format("15:04Z07"), row.ID}
	if from != "" {
		words = append(words, from, "→")
	}
	return strings.TrimSpace(strings.Join(append(words, row.Status.Text, row.Why), " "))
}

// refresh reorders the rows and keeps the selected one in its line on the screen.
func (m *model) refresh() {
	if m.moved {
		m.board.reorder(m.selected)
		m.goTo(m.selected)
	} else {
		m.board.reorder(nil)
		m.index, m.top = 0, 0
	}
	rows := len(m.board.shown)
	m.index = max(min(m.index, rows-1), 0)
	if m.selected = nil; rows > 0 {
		m.selected = m.board.shown[m.index]
	}
	body := m.listHeight()
	m.top = max(min(m.top, m.index, rows-body), 0)
	if m.index >= m.top+body {
		m.top = max(m.index-body+1, 0)
	}
}

// goTo moves the cursor to a row and scrolls, so the cursor stays on its line. It reports whether the row is shown.
func (m *model) goTo(e *entry) bool {
	i := m.board.find(e)
	if i < 0 {
		return false
	}
	m.top += i - m.index
	m.index = i
	return true
}

// row returns the selected row, or nil.
func (m *model) row() *Row {
	if m.selected != nil {
		return m.selected.row
	}
	return nil
}

// setFilter changes the filter. It selects the first row found, unless the selected one is among them.
func (m *model) setFilter(text string) {
	m.filterText = strings.ToValidUTF8(text[:min(len(text), longestFilter)], "")
	m.board.filter = parseFilter(m.filterText, m.view.config.Columns)
	m.search()
}

// setGroup shows the rows of a group.
func (m *model) setGroup(group int) {
	if group < len(m.view.config.Groups) {
		m.board.group = group
		m.search()
	}
}

// search finds the rows to show.
func (m *model) search() {
	m.board.renew(m.selected)
	if !m.moved || !m.goTo(m.selected) {
		m.index, m.top, m.moved = 0, 0, false
	}
}
