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
	// spinnerFrame is how long the spinner shows one picture: fast enough to look alive, and slow for a remote terminal.
	spinnerFrame = 120 * time.Millisecond
	// idleFrame is the time between redraws while no spinner turns, since durations are shown in seconds.
	idleFrame = time.Second
	// selectDelay is how long a row is selected before its details are read: moving over many rows reads none of them.
	selectDelay = 300 * time.Millisecond
	// detailsTimeout bounds the read.
	detailsTimeout = 20 * time.Second
	// retryDetails is the time from a failed read to the next.
	retryDetails = 10 * time.Second
	// longestFilter bounds a filter, in bytes: a pasted file is no filter.
	longestFilter = 200
)

// rowDetails are the details of a row while it had a status since a time. Both identify them: a row can get the same
// status again, for other reasons.
type rowDetails struct {
	status string
	since  time.Time
	fields ui.Details
	err    error
	read   time.Time
}

// A model is the state of the view. Only the program's loop uses it.
type model struct {
	view          *View
	ctx           context.Context //nolint:containedctx // the loop's calls take none
	width, height int
	moved         bool   // the user has selected a row; else the first is selected, whichever that is
	selected      string // ID
	index, top    int    // of the selected row and of the first on the screen
	filter        string
	typing        bool   // the filter
	copied        string // ID
	requested     string // ID of the row whose details are being read
	details       map[string]rowDetails
	shown         snapshot
	body          int  // rows on the screen
	opened        bool // the details have most of the screen
	suspender     suspender
	closed        error // why the user closed the view; nil: it is open
}

// The messages of the loop, besides those of bubbletea.
type (
	tick          struct{}
	rowLingered   struct{ id string } // a row has been selected for selectDelay
	detailsLoaded struct {
		id      string
		details rowDetails
	}
)

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return m.nextTick() }

func (m *model) nextTick() tea.Cmd {
	every := idleFrame
	if m.shown.working && m.shown.trouble == nil {
		every = spinnerFrame
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
		cmd = m.nextTick()
	case boardChanged:
		m.view.notified.Store(false)
	case resumed:
		cmd = m.suspender.redraw()
	case rowLingered:
		cmd = m.loadDetails(message.id)
	case detailsLoaded:
		m.details[message.id] = message.details
		if m.requested == message.id {
			m.requested = ""
		}
	case tea.PasteMsg:
		if m.typing {
			m.addToFilter(message.Content)
		}
	case tea.KeyPressMsg:
		cmd = m.press(message)
	}
	m.refresh()
	return m, tea.Batch(cmd, m.requestDetails())
}

// refresh takes a snapshot of the board and keeps the selected row on the screen.
func (m *model) refresh() {
	m.shown = m.view.board.snapshot(strings.ToLower(m.filter))
	rows := m.shown.rows
	if !m.moved {
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

// row returns the selected row; nil if there is none.
func (m *model) row() *Row {
	if m.index < len(m.shown.rows) {
		return m.shown.rows[m.index]
	}
	return nil
}

// requestDetails has the details of the selected row read if it stays selected and they are not known.
func (m *model) requestDetails() tea.Cmd {
	row := m.row()
	if row == nil || m.view.config.Details == nil || m.requested == row.ID {
		return nil
	}
	known := m.knownDetails(row)
	if known != nil && (known.err == nil || m.view.config.Now().Sub(known.read) < retryDetails) {
		return nil
	}
	m.requested = row.ID
	return tea.Tick(selectDelay, func(time.Time) tea.Msg { return rowLingered{row.ID} })
}

// knownDetails returns the details of a row in its present status; nil if they have not been read.
func (m *model) knownDetails(row *Row) *rowDetails {
	if known, ok := m.details[row.ID]; ok && known.status == row.Status.Text && known.since.Equal(row.Since) {
		return &known
	}
	return nil
}

func (m *model) loadDetails(id string) tea.Cmd {
	row := m.row()
	if row == nil || row.ID != id {
		m.requested = ""
		return nil
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.ctx, detailsTimeout)
		defer cancel()
		fields, err := m.view.config.Details(ctx, id)
		return detailsLoaded{id, rowDetails{row.Status.Text, row.Since, fields, err, m.view.config.Now()}}
	}
}
