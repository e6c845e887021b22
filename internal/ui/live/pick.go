package live

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/payctl/payctl/internal/ui"
)

// A Picker asks the user to pick one of several options on a screen of its own. Typing filters them.
type Picker struct {
	Streams *ui.Streams
	// Keys is where the keys are read from, as Keyboard returns it.
	Keys io.Reader
	// Title names what is picked.
	Title string
	// Options are texts of one line; there is one at least.
	Options []string
	// Environ is the environment, which describes the terminal.
	Environ []string
}

// Pick shows a picker and returns the index of the option that was picked. The error is ErrCancelled (Esc),
// ui.ErrInterrupted (Ctrl-C), ui.ErrNoAnswer (Ctrl-D) or that of the context.
func Pick(ctx context.Context, p Picker) (int, error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	m := &pickModel{picker: p}
	m.match()
	program := tea.NewProgram(m,
		tea.WithInput(p.Keys), tea.WithOutput(p.Streams.Screen), tea.WithoutSignalHandler(),
		tea.WithColorProfile(p.Streams.ColorProfile()), tea.WithEnvironment(p.Environ))
	unwatch := m.suspender.watch(program)
	defer unwatch()
	defer context.AfterFunc(ctx, program.Quit)()
	_, err := program.Run()
	switch {
	case err != nil:
		return 0, err
	case m.err != nil:
		return 0, m.err
	case !m.picked:
		return 0, context.Cause(ctx)
	}
	return m.matches[m.index], nil
}

// A pickModel is the state of a picker, as a tea.Model.
type pickModel struct {
	picker        Picker
	suspender     suspender
	width, height int
	filter        string
	matches       []int // indexes of the options that the filter finds
	index         int   // in matches, of the option under the cursor
	top           int   // in matches, of the first option on the screen
	picked        bool
	err           error
}

// Init implements tea.Model.
func (m *pickModel) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *pickModel) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
	case resumed:
		cmd = m.suspender.redraw()
	case tea.PasteMsg:
		m.setFilter(m.filter + strings.Join(strings.Fields(message.Content), " "))
	case tea.KeyPressMsg:
		cmd = m.press(message)
	}
	m.index = max(min(m.index, len(m.matches)-1), 0)
	body := m.body()
	m.top = max(min(m.top, m.index, len(m.matches)-body), m.index-body+1, 0)
	return m, cmd
}

// press handles a key.
func (m *pickModel) press(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "ctrl+c":
		return m.end(ui.ErrInterrupted)
	case "ctrl+d":
		return m.end(ui.ErrNoAnswer)
	case "esc":
		if m.filter == "" {
			return m.end(ErrCancelled)
		}
		m.setFilter("")
	case "enter":
		if len(m.matches) > 0 {
			m.picked = true
			return tea.Quit
		}
	case "ctrl+z":
		return m.suspender.suspend()
	case "ctrl+l":
		return tea.ClearScreen
	case "up", "ctrl+p", "shift+tab":
		m.index--
	case "down", "ctrl+n", "tab":
		m.index++
	case "pgup":
		m.index -= m.body()
	case "pgdown":
		m.index += m.body()
	case "home":
		m.index = 0
	case "end":
		m.index = len(m.matches) - 1
	default:
		m.setFilter(typed(m.filter, key))
	}
	return nil
}

func (m *pickModel) end(err error) tea.Cmd {
	m.err = err
	return tea.Quit
}

// setFilter sets the filter. The cursor goes to the first match of a longer filter, and stays on its option with a
// shorter one.
func (m *pickModel) setFilter(filter string) {
	filter = shortened(filter)
	isShorter, option := len(filter) < len(m.filter), -1
	if isShorter && len(m.matches) > 0 {
		option = m.matches[m.index]
	}
	if filter == m.filter {
		return
	}
	m.filter = filter
	m.match()
	for i, match := range m.matches {
		if match == option {
			m.index = i
		}
	}
}

func (m *pickModel) match() {
	m.matches, m.index, m.top = matching(m.picker.Options, m.filter), 0, 0
}

// matching returns the indexes of the options that have all words of a filter, in upper or lower case.
func matching(options []string, filter string) (indexes []int) {
	words := strings.Fields(strings.ToLower(filter))
	for i, option := range options {
		text := strings.ToLower(option)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// The lines around the options, in the order in which a screen with too few lines does without them.
const (
	pickKeysFrom  = 4 // lines of a screen that has one for the keys
	pickTitleFrom = 3 // and one for the title
	pickTypedFrom = 2 // and one for the filter
)

// body is how many lines there are for options.
func (m *pickModel) body() int {
	lines := m.height
	for _, from := range []int{pickKeysFrom, pickTitleFrom, pickTypedFrom} {
		if m.height >= from {
			lines--
		}
	}
	return max(lines, 1)
}

// View implements tea.Model.
func (m *pickModel) View() tea.View {
	screen := tea.NewView("")
	screen.AltScreen = true
	if m.width <= 0 || m.height <= 0 {
		return screen
	}
	s := m.picker.Streams
	var lines []string
	if m.height >= pickTitleFrom {
		count := fmt.Sprintf("%d of %d", len(m.matches), len(m.picker.Options))
		room := max(m.width-len(count)-columnGap, 0)
		lines = append(lines, s.Paint(ui.Bold, s.Fit(m.picker.Title, room))+s.Cut("  "+count, m.width))
	}
	if m.height >= pickTypedFrom {
		const prompt = "Filter: "
		typed := prompt
		for rest := ui.Sanitize(m.filter); ; { // its end is what is typed at
			if ui.CellWidth(prompt+rest) < m.width || rest == "" {
				typed += rest
				break
			}
			rest = rest[len(firstCharacter(rest)):]
		}
		screen.Cursor = tea.NewCursor(min(ui.CellWidth(typed), m.width-1), len(lines))
		if m.filter == "" {
			typed += s.Paint(ui.Dim, s.Cut("type some letters", m.width-len(prompt)))
		}
		lines = append(lines, ansi.Truncate(typed, m.width, ""))
	}
	lines = append(lines, m.optionLines()...)
	if m.height >= pickKeysFrom {
		lines = append(lines, s.Paint(ui.Dim, s.Fit(m.keysText(), m.width)))
	}
	screen.SetContent(strings.Join(lines, "\n"))
	return screen
}

// optionLines draws as many options as there are lines for.
func (m *pickModel) optionLines() []string {
	s := m.picker.Streams
	mark := "> "
	if s.UTF8 {
		mark = "▸ "
	}
	lines := make([]string, m.body())
	for i := range lines {
		at := m.top + i
		switch {
		case at >= len(m.matches):
		case at == m.index:
			lines[i] = s.PaintSelected(ui.Plain, s.Fit(mark+m.picker.Options[m.matches[at]], m.width))
		default:
			lines[i] = s.Cut("  "+m.picker.Options[m.matches[at]], m.width)
		}
	}
	if len(m.matches) == 0 {
		lines[0] = s.Cut("  nothing matches; Esc shows all again", m.width)
	}
	return lines
}

// keysText names the keys, and how many options there is no room for.
func (m *pickModel) keysText() string {
	text := "enter choose  esc cancel"
	if m.filter != "" {
		text = "enter choose  esc show all"
	}
	if above := m.top; above > 0 {
		text += fmt.Sprintf("  %d above", above)
	}
	if below := len(m.matches) - m.top - m.body(); below > 0 {
		text += fmt.Sprintf("  %d below", below)
	}
	return text
}
