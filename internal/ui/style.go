package ui

import (
	"io"
	"strings"
	"sync"

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
type style struct{ color, manyColors, utf8 bool }

// A brush is what lipgloss writes before a text of a tone; selected is for the selected line of a list.
type brush struct{ normal, selected string }

type palette [toneCount]brush

// The palettes are made when the first colour is drawn.
var (
	manyColors  = sync.OnceValue(func() *palette { return newPalette(termenv.ANSI256) })
	basicColors = sync.OnceValue(func() *palette { return newPalette(termenv.ANSI) })
)

// newPalette sets the profile and the background explicitly, because lipgloss would otherwise query the terminal and
// wait for seconds if it does not answer.
//
// Whether the background is light or dark is not known. A colour can be read on both only if its luminance is between
// 0.175 and 0.183: then its contrast is at least 4.5:1 with black and with white. So all colours of the 256 are from this
// band, and white can be written on each of them. Readers who cannot tell red from green tell them by bold.
//
// Of the 16 basic colours, which every terminal shows in its own way, none is readable on both. There the terminal's
// own colour is used, and where a person should look, a pair of foreground and background that is readable in every
// usual palette. Faint letters have too little contrast everywhere.
func newPalette(profile termenv.Profile) *palette {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true)
	none := r.NewStyle()
	on := func(foreground, background string) lipgloss.Style {
		return none.Foreground(lipgloss.Color(foreground)).Background(lipgloss.Color(background))
	}
	colors := map[Tone]string{
		Good: "29", Warn: "131", Bad: "131", Dim: "243", Reviewer: "163", Applicant: "63",
	}
	pairs := map[Tone]lipgloss.Style{Reviewer: on("0", "6"), Applicant: on("15", "4"), Bad: on("15", "1").Bold(true)}
	p := &palette{}
	for t := range toneCount {
		var normal lipgloss.Style
		selected := none.Reverse(true)
		color, isColored := colors[t]
		pair, isPair := pairs[t]
		isBold := t == Bold || t == Bad || t == Reviewer
		switch {
		case profile == termenv.ANSI && isPair:
			normal, selected = pair, pair
		case profile == termenv.ANSI:
			normal = none.Bold(t == Bold || t == Warn).Underline(t == Warn)
		case isColored:
			normal = none.Foreground(lipgloss.Color(color)).Bold(isBold)
			if t != Dim {
				selected = on("231", color).Bold(isBold)
			}
		default:
			normal, selected = none.Bold(isBold), selected.Bold(isBold)
		}
		p[t] = brush{before(normal), before(selected)}
	}
	return p
}

// before returns what lipgloss writes before a text.
func before(s lipgloss.Style) string {
	text, _, _ := strings.Cut(s.Render("x"), "x")
	return text
}

func (f style) brush(t Tone) brush {
	if f.manyColors {
		return manyColors()[t]
	}
	return basicColors()[t]
}

// paint colours one line of text if the stream has colours.
func (f style) paint(t Tone, text string) string {
	if !f.color || t == Plain || text == "" {
		return text
	}
	return painted(f.brush(t).normal, text)
}

// paintSelected paints one line of text as part of a selected line. Colours that the text has already are removed: they
// would end the bar, and not all of them can be read on it.
func (f style) paintSelected(t Tone, text string) string {
	if text == "" {
		return text
	}
	if !f.color {
		t = Plain
	}
	return painted(f.brush(t).selected, ansi.Strip(text))
}

func painted(before, text string) string {
	if before == "" {
		return text
	}
	return before + text + "\x1b[0m"
}

// ellipsis marks a cut.
func (f style) ellipsis() string {
	if f.utf8 {
		return "…"
	}
	return "~"
}
