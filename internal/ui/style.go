package ui

import (
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

// Tone is the meaning of a piece of text, which decides its colour.
type Tone int

// The tones. Reviewer, Applicant and Provider tell whose turn it is; of all tones, Reviewer stands out most.
const (
	Plain     Tone = iota
	Good           // done: reached, approved
	Warn           // a warning: something may be wrong
	Bad            // refused, failed
	Dim            // of little interest
	Bold           // of most interest
	Reviewer       // a reviewer at the service has to act
	Applicant      // the holder of an account, or the payer of a transfer, has to act
	Provider       // the service or a bank works on it
	toneCount
)

// style is what a piece of text needs to know of the stream that it is written to.
type style struct {
	color, utf8 bool
	profile     colorprofile.Profile
}

// A brush is the escape sequences around a painted text.
type brush struct{ before, after string }

func (b brush) paint(text string) string { return b.before + text + b.after }

// A palette has the brushes of all tones.
type palette struct {
	normal   [toneCount]brush
	selected [toneCount]brush // in the selected line of a list
}

// The palettes of the profiles, made when the first colour is drawn.
var (
	basicPalette = sync.OnceValue(func() *palette { return newPalette(termenv.ANSI) })
	cubePalette  = sync.OnceValue(func() *palette { return newPalette(termenv.ANSI256) })
	exactPalette = sync.OnceValue(func() *palette { return newPalette(termenv.TrueColor) })
)

// newPalette has lipgloss make the brushes. It sets the profile and the background explicitly, because lipgloss would
// otherwise query the terminal and wait for seconds if it does not answer.
//
// Whether the background is light or dark is not known. A colour can be read on both only if its luminance is between
// 0.175 and 0.183: then its contrast is at least 4.5:1 with black and with white. So all colours below are from this
// band, and white can be written on each of them. Those of 256 are all that the fixed part of that table has in the
// band. Readers who cannot tell red from green tell them by blue and yellow, and by Bold.
//
// Of the 16 basic colours, which every terminal shows in its own way, none is readable on both. There the terminal's
// own colour is used, and where a person should look, a pair of foreground and background that is readable in every
// usual palette. Dark letters of such a pair are not bold, since many terminals brighten bold colours. Faint letters
// have too little contrast everywhere.
func newPalette(profile termenv.Profile) *palette {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true)
	none, isBasic := r.NewStyle(), profile == termenv.ANSI
	colors := map[Tone]lipgloss.CompleteColor{
		Good:      {TrueColor: "#008900", ANSI256: "29"},
		Warn:      {TrueColor: "#9F6B00", ANSI256: "131"},
		Bad:       {TrueColor: "#EB0000", ANSI256: "131"},
		Dim:       {TrueColor: "#767676", ANSI256: "243"},
		Reviewer:  {TrueColor: "#D700AF", ANSI256: "163"},
		Applicant: {TrueColor: "#1F6AFF", ANSI256: "63"},
		Provider:  {TrueColor: "#008383", ANSI256: "243"},
	}
	white := lipgloss.CompleteColor{TrueColor: "#FFFFFF", ANSI256: "231"}
	pairs := map[Tone]lipgloss.Style{
		Reviewer:  none.Foreground(lipgloss.Color("0")).Background(lipgloss.Color("6")),
		Applicant: none.Foreground(lipgloss.Color("15")).Background(lipgloss.Color("4")),
		Bad:       none.Foreground(lipgloss.Color("15")).Background(lipgloss.Color("1")).Bold(true),
	}
	p := &palette{}
	for t := range toneCount {
		var normal lipgloss.Style
		selected := none.Reverse(true)
		color, isColored := colors[t]
		pair, isPair := pairs[t]
		isBold := t == Bold || t == Bad || t == Reviewer
		switch {
		case isBasic && isPair:
			normal, selected = pair, pair
		case isBasic:
			normal = none.Bold(t == Bold || t == Warn).Underline(t == Warn)
		case isColored && t != Dim:
			normal = none.Foreground(color).Bold(isBold)
			selected = none.Foreground(white).Background(color).Bold(isBold)
		default:
			normal = none.Foreground(color).Bold(isBold)
			selected = selected.Bold(isBold)
		}
		p.normal[t], p.selected[t] = newBrush(normal), newBrush(selected)
	}
	return p
}

// newBrush returns what lipgloss writes around a text.
func newBrush(s lipgloss.Style) brush {
	const text = "x"
	before, after, _ := strings.Cut(s.Render(text), text)
	return brush{before, after}
}

func (f style) palette() *palette {
	switch f.profile {
	case colorprofile.TrueColor:
		return exactPalette()
	case colorprofile.ANSI256:
		return cubePalette()
	}
	return basicPalette()
}

// paint colours one line of text if the stream has colours.
func (f style) paint(t Tone, text string) string {
	if !f.color || t == Plain || text == "" {
		return text
	}
	return f.palette().normal[t].paint(text)
}

// paintSelected paints one line of text as part of a selected line. Colours that the text has already are removed: they
// would end the bar, and not all of them can be read on it.
func (f style) paintSelected(t Tone, text string) string {
	if text == "" {
		return text
	}
	if strings.Contains(text, "\x1b") {
		text = ansi.Strip(text)
	}
	if !f.color {
		t = Plain
	}
	return f.palette().selected[t].paint(text)
}

// ellipsis marks a cut.
func (f style) ellipsis() string {
	if f.utf8 {
		return "…"
	}
	return "~"
}
