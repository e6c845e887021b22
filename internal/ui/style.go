package ui

import (
	"strings"
	"sync"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
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
	basicPalette = sync.OnceValue(newBasicPalette)
	cubePalette  = sync.OnceValue(func() *palette { return newPalette(func(h hue) ansi.Color { return h.cube }) })
	exactPalette = sync.OnceValue(func() *palette { return newPalette(func(h hue) ansi.Color { return h.exact }) })
)

// A hue is a colour, exactly and in the table of 256.
type hue struct {
	exact ansi.RGBColor
	cube  ansi.IndexedColor
}

// The hues of the tones. Whether the background is light or dark is not known. A colour can be read on both only if its
// luminance is between 0.175 and 0.183: then its contrast is at least 4.5:1 with black and with white. So all these
// are from this band, and white can be written on each of them. Those of 256 are all that the fixed part of that table
// has in the band. Readers who cannot tell red from green tell them by blue and yellow, and by Bold.
var (
	hues = map[Tone]hue{
		Good:      {ansi.RGBColor{R: 0x00, G: 0x89, B: 0x00}, 29},
		Warn:      {ansi.RGBColor{R: 0x9F, G: 0x6B, B: 0x00}, 131},
		Bad:       {ansi.RGBColor{R: 0xEB, G: 0x00, B: 0x00}, 131},
		Dim:       {ansi.RGBColor{R: 0x76, G: 0x76, B: 0x76}, 243},
		Staff:     {ansi.RGBColor{R: 0xD7, G: 0x00, B: 0xAF}, 163},
		Applicant: {ansi.RGBColor{R: 0x1F, G: 0x6A, B: 0xFF}, 63},
		Provider:  {ansi.RGBColor{R: 0x00, G: 0x83, B: 0x83}, 243},
	}
	whiteHue = hue{ansi.RGBColor{R: 0xFF, G: 0xFF, B: 0xFF}, 231}
)

// newPalette makes the brushes of a terminal that has the hues in one of their forms.
func newPalette(form func(hue) ansi.Color) *palette {
	p := &palette{}
	for t := range toneCount {
		var normal, selected ansi.Style
		if t == Bold || t == Bad || t == Staff {
			normal, selected = normal.Bold(), selected.Bold()
		}
		color, isColored := hues[t]
		if isColored {
			normal = normal.ForegroundColor(form(color))
		}
		if isColored && t != Dim {
			selected = selected.ForegroundColor(form(whiteHue)).BackgroundColor(form(color))
		} else {
			selected = selected.Reverse(true)
		}
		p.normal[t], p.selected[t] = newBrush(normal), newBrush(selected)
	}
	return p
}

// newBasicPalette makes the brushes of a terminal with the 16 basic colours, which it shows in its own way. None of
// them is readable on both kinds of background. So the terminal's own colour is used, and where a person should look, a
// pair of foreground and background that is readable in every usual palette. Dark letters of such a pair are not bold,
// since many terminals brighten bold colours. Faint letters have too little contrast everywhere.
func newBasicPalette() *palette {
	pairs := map[Tone]ansi.Style{
		Staff:     ansi.Style{}.ForegroundColor(ansi.Black).BackgroundColor(ansi.Cyan),
		Applicant: ansi.Style{}.ForegroundColor(ansi.BrightWhite).BackgroundColor(ansi.Blue),
		Bad:       ansi.Style{}.Bold().ForegroundColor(ansi.BrightWhite).BackgroundColor(ansi.Red),
	}
	p := &palette{}
	for t := range toneCount {
		normal, selected := ansi.Style{}, ansi.Style{}.Reverse(true)
		if t == Bold || t == Warn {
			normal = normal.Bold()
		}
		if t == Warn {
			normal = normal.Underline(true)
		}
		if pair, ok := pairs[t]; ok {
			normal, selected = pair, pair
		}
		p.normal[t], p.selected[t] = newBrush(normal), newBrush(selected)
	}
	return p
}

// newBrush returns the escape sequences around a text of a style; none for a style that has nothing.
func newBrush(s ansi.Style) brush {
	if len(s) == 0 {
		return brush{}
	}
	return brush{s.String(), "\x1b[0m"}
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
