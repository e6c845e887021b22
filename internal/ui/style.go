package ui

import (
	"io"
	"sync"

	"github.com/charmbracelet/lipgloss"
)

// Tone is the meaning of a piece of text, which decides its colour.
type Tone int

// The tones. Staff, Applicant and Provider tell whose turn it is; of all tones, Staff stands out most.
const (
	Plain     Tone = iota
	Good           // done: reached, approved
	Warn           // a warning: something may be wrong
	Bad            // refused, failed
	Dim            // of little interest
	Bold           // of most interest
	Staff          // the staff who use payctl, or those of the service, have to act
	Applicant      // the holder of an account, or the payer of a transfer, has to act
	Provider       // the service or a bank works on it
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

		Staff:     r.NewStyle().Foreground(lipgloss.Color("5")).Bold(true),
		Applicant: r.NewStyle().Foreground(lipgloss.Color("3")),
		Provider:  r.NewStyle().Foreground(lipgloss.Color("6")),
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
