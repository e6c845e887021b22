package ui

import (
	"github.com/charmbracelet/x/ansi"
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

// A brush has the attributes (ECMA-48 SGR) of a tone; selected are those in the selected line of a list.
type brush struct{ normal, selected string }

// Whether the background is light or dark is not known, and the terminal is not asked, because it might not answer. A
// colour can be read on both only if its luminance is between 0.175 and 0.183: then its contrast is at least 4.5:1 with
// black and with white. So all colours of manyColors are from this band of the fixed part of the 256 colours, and white
// (231) can be written on each of them. Readers who cannot tell red from green tell them by bold.
//
// Of the 16 basic colours, which every terminal shows in its own way, none is readable on both. There the terminal's
// own colour is used, and where a person should look, a pair of foreground and background that is readable in every
// usual palette. Faint letters have too little contrast everywhere.
var (
	manyColors = [toneCount]brush{
		Plain:     {"", "7"},
		Good:      {"38;5;29", "38;5;231;48;5;29"},
		Warn:      {"38;5;131", "38;5;231;48;5;131"},
		Bad:       {"1;38;5;131", "1;38;5;231;48;5;131"},
		Dim:       {"38;5;243", "7"},
		Bold:      {"1", "1;7"},
		Reviewer:  {"1;38;5;163", "1;38;5;231;48;5;163"},
		Applicant: {"38;5;63", "38;5;231;48;5;63"},
		Provider:  {"38;5;243", "38;5;231;48;5;243"},
	}
	basicColors = [toneCount]brush{
		Plain: {"", "7"}, Good: {"", "7"}, Warn: {"1;4", "7"}, Bad: {"1;97;41", "1;97;41"}, Dim: {"", "7"}, Bold: {"1", "7"},
		Reviewer: {"30;46", "30;46"}, Applicant: {"97;44", "97;44"}, Provider: {"", "7"},
	}
)

func (f style) brush(t Tone) brush {
	if f.manyColors {
		return manyColors[t]
	}
	return basicColors[t]
}

// paint colours one line of text if the stream has colours.
func (f style) paint(t Tone, text string) string {
	attributes := f.brush(t).normal
	if !f.color || attributes == "" || text == "" {
		return text
	}
	return "\x1b[" + attributes + "m" + text + "\x1b[0m"
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
	return "\x1b[" + f.brush(t).selected + "m" + ansi.Strip(text) + "\x1b[0m"
}

// ellipsis marks a cut.
func (f style) ellipsis() string {
	if f.utf8 {
		return "…"
	}
	return "~"
}
