package live

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/payctl/payctl/internal/term"
)

const (
	// frame is how long a picture of the spinner lasts.
	frame = 120 * time.Millisecond
	// idleFrame is how often durations are brought up to date while nothing moves.
	idleFrame = time.Second
	// linger is how long a row has to be selected before its story is asked for.
	linger = 300 * time.Millisecond
	// detailsTime is how long its story may take.
	detailsTime = 20 * time.Second
	// keptStories is how many stories are remembered.
	keptStories = 200
	// askAgain is how long after a failure a story is asked for again.
	askAgain = 10 * time.Second
	// longestFilter is how many bytes a filter has at the most.
	longestFilter = 200
)

// A story is what Config.Details told of a thing while it had a status. When that began belongs to it: a thing can come to the
// same status again, with other reasons.
type story struct {
	status string
	since  time.Time
	told   term.Details
	err    error
	at     time.Time
}

// A model is the state of the view, driven by the program's loop.
type model struct {
	view          *View
	ctx           context.Context //nolint:containedctx // the loop's calls take none
	width, height int
	chosen        bool   // by the user; else the first row is selected, whichever that is
	selected      string // ID
	index, top    int    // of the selected and the topmost row
	filter        string
	typing        bool   // a filter
	copied        string // ID
	asking        string // the ID whose story is on its way
	details       map[string]story
	shown         picture
	body          int  // rows on the screen
	opened        bool // the story has the most of the screen
	stopper       stopper
	left          error
}

type (
	tick     struct{}
	lingered struct{ id string }
	loaded   struct {
		id    string
		story story
	}
)

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.next() }

// next redraws after a while: often while something is under way.
func (m *model) next() tea.Cmd {
	every := idleFrame
	if m.shown.working && m.shown.trouble == nil {
		every = frame
	}
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

// Update implements tea.Model.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
	case tick:
		cmd = m.next()
	case changed:
		m.view.awake()
	case goneOn:
		cmd = m.stopper.retake()
	case lingered:
		cmd = m.load(message.id)
	case loaded:
		m.take(message)
	case tea.PasteMsg:
		if m.typing {
			m.filter = shorten(m.filter + message.Content)
		}
	case tea.KeyPressMsg:
		cmd = m.press(message)
	}
	m.look()
	return m, tea.Batch(cmd, m.ask())
}

// look takes in the board, and keeps the selected row on the screen.
func (m *model) look() {
	m.shown = m.view.board.look(strings.ToLower(m.filter))
	rows := m.shown.rows
	if !m.chosen {
		m.index = 0
	} else if i := slices.IndexFunc(rows, func(row *Row) bool { return row.ID == m.selected }); i >= 0 {
		m.index = i
	}
	m.index = max(min(m.index, len(rows)-1), 0)
	m.selected = ""
	if len(rows) > 0 {
		m.selected = rows[m.index].ID
	}
	m.body = m.layout().body
	m.top = max(min(m.top, m.index, len(rows)-m.body), 0)
	if m.index >= m.top+m.body {
		m.top = m.index - m.body + 1
	}
}

// row is the selected one; nil when there is none.
func (m *model) row() *Row {
	if m.index < len(m.shown.rows) {
		return m.shown.rows[m.index]
	}
	return nil
}

// ask asks for the story of the selected row when it is not known yet and stays selected.
func (m *model) ask() tea.Cmd {
	row := m.row()
	if row == nil || m.view.config.Details == nil || m.asking == row.ID {
		return nil
	}
	if known := m.known(row); known != nil && (known.err == nil || m.view.config.Now().Sub(known.at) < askAgain) {
		return nil
	}
	m.asking = row.ID
	return tea.Tick(linger, func(time.Time) tea.Msg { return lingered{row.ID} })
}

// known is the story of a row as it is; nil when it has not been told.
func (m *model) known(row *Row) *story {
	if known, ok := m.details[row.ID]; ok && known.status == row.Status.Text && known.since.Equal(row.Since) {
		return &known
	}
	return nil
}

func (m *model) load(id string) tea.Cmd {
	row := m.row()
	if row == nil || row.ID != id {
		m.asking = ""
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, detailsTime)
		defer cancel()
		told, err := m.view.config.Details(ctx, id)
		return loaded{id, story{row.Status.Text, row.Since, told, err, m.view.config.Now()}}
	}
}

func (m *model) take(message loaded) {
	if len(m.details) >= keptStories {
		clear(m.details)
	}
	m.details[message.id] = message.story
	if m.asking == message.id {
		m.asking = ""
	}
}

func shorten(filter string) string {
	return strings.ToValidUTF8(filter[:min(len(filter), longestFilter)], "")
}
