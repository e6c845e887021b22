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
		ascii    string
	}{
		{"plain", "Ada", 3, "Ada", "Ada"},
		{"composed accent", "José", 4, "José", "Jose"},
		{"accent of its own", "Jose\u0301", 4, "José", "Jose"},
		{"two accents", "Nguye\u0302\u0303n", 6, "Nguyễn", "Nguyen"},
		{"accent that composes with nothing", "x\u0301", 1, "x\u0301", "x"},
		{"accent alone", "\u0301a", 7, `\u0301a`, `\u0301a`},
		{"accent after a blank", "a \u0301", 2, "a \u0301", "a "},
		{"letters of Europe", "Łódź Ørsted Straße Þór", 22, "Łódź Ørsted Straße Þór", `\u0141odz \u00d8rsted Stra\u00dfe \u00deor`},
		{"marks of typography", "“a” – ‘b’…", 10, "“a” – ‘b’…", `\u201ca\u201d \u2013 \u2018b\u2019...`},
		{"wide", "山田", 4, "山田", `\u5c71\u7530`},
		{"Hangul in parts", "\u1112\u1161\u11ab", 2, "한", `\ud55c`},
		{"Thai", "กำลังที่", 5, "กำลังที่", `\u0e01\u0e33\u0e25\u0e31\u0e07\u0e17\u0e35\u0e48`},
		{"Devanagari", "क्षि", 3, "क्षि", `\u0915\u094d\u0937\u093f`},
		{"Arabic with vowels", "مُحَمَّد", 4, "مُحَمَّد", `\u0645\u064f\u062d\u064e\u0645\u064e\u0651\u062f`},
		{"as many marks as a script needs", "q\u0301\u0302\u0303\u0304", 1, "q\u0301\u0302\u0303\u0304", "q"},
		{"more marks", "q\u0316\u0317\u0318\u0319\u031c\u031d", 13, "q\u0316\u0317\u0318\u0319" + `\u031c\u031d`, `q\u031c\u031d`},
		{"joined emoji", "👨\u200d👩\u200d👧", 6, "👨\u200d👩\u200d👧", `\U0001f468\u200d\U0001f469\u200d\U0001f467`},
		{"colour of skin", "👍🏽", 4, "👍🏽", `\U0001f44d\U0001f3fd`},
		{"form of a symbol", "❤\ufe0f", 1, "❤", `\u2764`},
		{"keycap", "1\ufe0f\u20e3", 1, "1\u20e3", `1\u20e3`},
		{"flag", "🇩🇪", 2, "🇩🇪", `\U0001f1e9\U0001f1ea`},
		{"one and a half flags", "🇩🇪🇫", 12, "🇩🇪" + `\U0001f1eb`, `\U0001f1e9\U0001f1ea\U0001f1eb`},
		{"two halves", "🇩a🇪", 21, `\U0001f1e9a\U0001f1ea`, `\U0001f1e9a\U0001f1ea`},
		{"escape sequence", "\u009b2Jé", 9, `\u009b2Jé`, `\u009b2Je`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			visible := style{utf8: true}.visible(c.in)
			require.Equal(t, c.want, visible)
			require.Equal(t, c.columns, CellWidth(visible))
			require.Equal(t, visible, style{utf8: true}.visible(visible))
			require.Equal(t, c.ascii, style{}.visible(c.in))
		})
	}
}

// A hundred thousand marks or joiners take their columns and no more.
func TestManyMarksAreCut(t *testing.T) {
	t.Parallel()
	s := &Streams{UTF8: true}
	for _, part := range []string{"\u0301", "\u200d", "👨\u200d", "🇩", "\ufe0f", "\u0e33", "\u1161", "\U000e0041"} {
		require.Equal(t, 20, CellWidth(s.Fit("a"+strings.Repeat(part, 100_000), 20)), "%q", part)
	}
	require.Equal(t, "👨\u200d👩\u200d👧…", s.Cut("👨\u200d👩\u200d👧abc", 7))
	require.Equal(t, "a…", s.Cut("a👨\u200d👩\u200d👧abc", 7), "an emoji is cut as a whole")
	require.Equal(t, "👨…", s.Cut("👨\u200d👩\u200d👧abc", 6), "its first picture is better than nothing")
}

// On a terminal without UTF-8 no character has a byte that is a control character there, while what Latin 1 has can be
// copied.
func TestEightBitTerminals(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	out := withoutC1(&b, true)
	text := "José \u011b2J \x9b2J 田\x1b[1mbold\x1b[0m\n"
	n, err := io.WriteString(out, text)
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	require.Equal(t, `José \u011b2J \ufffd2J \u7530`+"\x1b[1mbold\x1b[0m\n", b.String())
	require.Same(t, &b, withoutC1(&b, false))
}

// BenchmarkFit fits a cell of each kind; a live view fits a thousand of them a frame.
func BenchmarkFit(b *testing.B) {
	s := &Streams{UTF8: true}
	for _, text := range []string{"acc_01kdwcj2m07dx6vaehz84r9gf1", "José García", "देवनागरी", "山田太郎 様 株式会社 東京都", "👨\u200d👩\u200d👧\u200d👦"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				s.Fit(text, 24)
			}
		})
	}
}
