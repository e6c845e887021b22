package ui

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisibleText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		columns  int
		want     string
	}{
		{"plain", "Ada", 3, "Ada"},
		{"composed accent", "José", 4, "José"},
		{"accent of its own", "Jose\u0301", 4, "José"},
		{"two accents", "Nguye\u0302\u0303n", 6, "Nguyễn"},
		{"accent that composes with nothing", "x\u0301", 1, "x\u0301"},
		{"accent alone", "\u0301a", 7, `\u0301a`},
		{"accent after a blank", "a \u0301", 2, "a \u0301"},
		{"letters of Europe", "Łódź Ørsted Straße Þór", 22, "Łódź Ørsted Straße Þór"},
		{"marks of typography", "“a” – ‘b’…", 10, "“a” – ‘b’…"},
		{"wide", "山田", 4, "山田"},
		{"Hangul in parts", "\u1112\u1161\u11ab", 2, "한"},
		{"Thai", "กำลังที่", 5, "กำลังที่"},
		{"Devanagari", "क्षि", 3, "क्षि"},
		{"Arabic with vowels", "مُحَمَّد", 4, "مُحَمَّد"},
		{"as many marks as a script needs", "q\u0301\u0302\u0303\u0304", 1, "q\u0301\u0302\u0303\u0304"},
		{"more marks", "q\u0316\u0317\u0318\u0319\u031c\u031d", 13, "q\u0316\u0317\u0318\u0319" + `\u031c\u031d`},
		{"joined emoji", "👨\u200d👩\u200d👧", 6, "👨\u200d👩\u200d👧"},
		{"colour of skin", "👍🏽", 4, "👍🏽"},
		{"form of a symbol", "❤\ufe0f", 1, "❤"},
		{"escape sequence", "\u009b2Jé", 9, `\u009b2Jé`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			visible := style{utf8: true}.visible(c.in)
			require.Equal(t, c.want, visible)
			require.Equal(t, c.columns, CellWidth(visible))
			require.Equal(t, visible, style{utf8: true}.visible(visible))
			require.True(t, isPlain(style{}.visible(c.in)))
		})
	}
}

// A text with a hundred thousand marks or joiners is cut to its columns.
func TestManyMarksAreCut(t *testing.T) {
	t.Parallel()
	s := &Streams{UTF8: true}
	for _, part := range []string{"\u0301", "\u200d", "👨\u200d", "🇩", "\ufe0f", "\u0e33", "\u1161", "\U000e0041"} {
		require.Equal(t, 20, CellWidth(s.Fit("a"+strings.Repeat(part, 100_000), 20)), "%q", part)
	}
	require.Equal(t, "👨\u200d👩\u200d👧…", s.Cut("👨\u200d👩\u200d👧abc", 7))
	require.Equal(t, "a…", s.Cut("a👨\u200d👩\u200d👧abc", 7), "an emoji is cut as a whole")
}

// On a terminal without UTF-8, no character is written with a byte that is a control character there.
func TestTerminalsWithoutUTF8(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	text := "José \u011b2J \x9b2J\x1b[1mbold\x1b[0m\n"
	n, err := io.WriteString(asciiTerminal{&b}, text)
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	require.Equal(t, `Jos\u00e9 \u011b2J \ufffd2J`+"\x1b[1mbold\x1b[0m\n", b.String())
}
