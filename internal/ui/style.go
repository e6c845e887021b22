package ui

import (
	"io"
	"sync"

	"github.com/charmbracelet/lipgloss"
)

// Tone is the meaning of a piece of text, which decides its colour.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good       // reached, approved
	Warn       // waiting for a person
	Bad        // refused, failed
	Dim        // of little interest
	Bold       // of most interest
)

// basicColors is lipgloss's colour profile of 16 colours (ANSI in termenv, from which lipgloss takes its profiles).
const basicColors = 2

// palette is built when the first colour is drawn. It sets the profile and the background explicitly, because lipgloss
// would otherwise query the terminal and wait for seconds if it does not answer. The 16 basic colours follow the user's
// theme, so the background need not be known.
var palette = sync.OnceValue(func() map[Tone]lipgloss.Style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(basicColors)
	r.SetHasDarkBackground(true)
	return map[Tone]lipgloss.Style{
		Good: r.NewStyle().Foreground(lipgloss.Color("2")),
		Warn: r.NewStyle().Foreground(lipgloss.Color("3")),
		Bad:  r.NewStyle().Foreground(lipgloss.Color("1")),
		Dim:  r.NewStyle().Faint(true),
		Bold: r.NewStyle().Bold(true),
	}
})

// paint colours one line of text if the stream has colours.
func (f surface) paint(t Tone, text string) string {
	if !f.color || t == Plain || text == "" {
		return text
	}
	return palette()[t].Render(text)
}

// ellipsis marks a cut.
func (f surface) ellipsis() string {
	if f.utf8 {
		return "…"
	}
	return "~"
}
