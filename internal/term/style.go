package term

import (
	"io"
	"sync"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Tone is what a piece of text means to its reader; the colours follow from it.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good       // reached, approved
	Warn       // waiting for somebody
	Bad        // refused, failed
	Dim        // of little interest
	Bold       // of most interest
)

// palette is built when the first colour is drawn. Profile and background are set by hand: left to
// itself lipgloss asks the terminal for them and waits seconds for one that does not answer. The 16
// basic colours follow the user's own theme, so the background need not be known.
var palette = sync.OnceValue(func() map[Tone]lipgloss.Style {
	r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(termenv.ANSI))
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(true)
	return map[Tone]lipgloss.Style{
		Good: r.NewStyle().Foreground(lipgloss.Color("2")),
		Warn: r.NewStyle().Foreground(lipgloss.Color("3")),
		Bad:  r.NewStyle().Foreground(lipgloss.Color("1")),
		Dim:  r.NewStyle().Faint(true),
		Bold: r.NewStyle().Bold(true),
	}
})

// paint colours one line of text where colour is wanted.
func (f surface) paint(t Tone, text string) string {
	if !f.color || t == Plain || text == "" {
		return text
	}
	style, ok := palette()[t]
	if !ok {
		return text
	}
	return style.Render(text)
}

// ellipsis marks a cut.
func (f surface) ellipsis() string {
	if f.utf8 {
		return "…"
	}
	return "~"
}
