// Package pictures draws the pictures of the documents: runs of the real program in a terminal, as SVG.
package pictures

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/terminal"
)

// The measures of a picture in pixels. In most monospaced fonts a letter is 0.6 of their size wide; each piece of text is
// given the width that it has on a terminal, whatever the font.
const (
	fontSize    = 14
	cellWidth   = 8.4
	cellHeight  = 20.0
	baseline    = 14.5 // of the letters in a cell, from its top
	padding     = 16.0
	titleHeight = 34.0
)

// The modes of a cell. The emulator has exchanged the colours of a cell in reverse video already.
const (
	underlined = 1 << 1
	bold       = 1 << 2
)

// A frame is a screen that is shown for a time.
type frame struct {
	terminal.Screen
	shown time.Duration
}

// A picture is a window with one frame, or with several that follow each other again and again. Where nothing moves, it
// is the last one.
type picture struct {
	title       string // of the window
	description string // for those who cannot see it
	frames      []frame
}

// svg draws the picture. It needs no font of its own, and no script.
func (p picture) svg() []byte {
	last := p.frames[len(p.frames)-1]
	width := 2*padding + cellWidth*float64(len(last.Rows[0]))
	height := titleHeight + 2*padding + cellHeight*float64(len(last.Rows))
	var total time.Duration
	for _, f := range p.frames {
		total += f.shown
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s"`+
		` role="img" aria-labelledby="title description">`+"\n", number(width), number(height))
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n", escape(p.title))
	fmt.Fprintf(&b, "<desc id=\"description\">%s</desc>\n", escape(p.description))
	fmt.Fprintf(&b, "<style>\n"+
		"text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;"+
		"fill:#e6e6e6;white-space:pre}\nrect{shape-rendering:crispEdges}\n.w{shape-rendering:auto}\n"+
		".b{font-weight:bold}\n.u{text-decoration:underline}\n", fontSize)
	rows := p.rows()
	if len(p.frames) > 1 {
		fmt.Fprintf(&b, ".f{opacity:0;animation:%ss step-end infinite}\n.l{opacity:1}\n"+
			"@media(prefers-reduced-motion:reduce){.f{animation:none}}\n", number(total.Seconds()))
		for i, r := range rows {
			if !r.isStill(total) {
				fmt.Fprintf(&b, "@keyframes k%d{%s}\n", i, r.keyframes(total))
			}
		}
	}
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<rect class="w" x=".5" y=".5" width="%s" height="%s" rx="8" stroke="#5c6370"/>`+"\n",
		number(width-1), number(height-1))
	fmt.Fprintf(&b, `<path d="M1 %s h%s" stroke="#30343c"/>`+"\n", number(titleHeight), number(width-2))
	fmt.Fprintf(&b, `<text x="%s" y="22" text-anchor="middle" style="fill:#9aa0a8">%s</text>`+"\n",
		number(width/2), escape(p.title))
	for i, r := range rows {
		switch {
		case r.drawn == "":
		case r.isStill(total):
			b.WriteString(r.drawn)
		default:
			class := "f"
			if r.end == total {
				class = "f l"
			}
			fmt.Fprintf(&b, "<g class=\"%s\" style=\"animation-name:k%d\">\n%s</g>\n", class, i, r.drawn)
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// A row is a row of cells that stays the same for a time.
type row struct {
	begin, end time.Duration
	drawn      string
}

// rows returns what is to be seen of all rows, each once for the time in which it stays the same.
func (p picture) rows() (all []row) {
	shown := map[int]int{} // the index in all of what a row shows now
	var now time.Duration
	for _, f := range p.frames {
		for y := range f.Rows {
			drawn := drawRow(f.Screen, y)
			if i, ok := shown[y]; ok && all[i].drawn == drawn {
				all[i].end += f.shown
				continue
			}
			shown[y] = len(all)
			all = append(all, row{now, now + f.shown, drawn})
		}
		now += f.shown
	}
	return slices.DeleteFunc(all, func(r row) bool { return r.drawn == "" })
}

// isStill reports whether a row is shown all the time.
func (r row) isStill(total time.Duration) bool { return r.end-r.begin == total }

// keyframes shows the row from its beginning to its end.
func (r row) keyframes(total time.Duration) string {
	percent := func(at time.Duration) string { return number(100*float64(at)/float64(total)) + "%" }
	frames := "0%{opacity:1}"
	if r.begin > 0 {
		frames = "0%{opacity:0}" + percent(r.begin) + "{opacity:1}"
	}
	if r.end < total {
		frames += percent(r.end) + "{opacity:0}"
	}
	return frames
}

// drawRow draws a row of a screen: what is behind the letters, the letters, and the cursor.
func drawRow(screen terminal.Screen, y int) string {
	cells := slices.Clone(screen.Rows[y])
	if !screen.CursorHidden && screen.CursorY == y && screen.CursorX < len(cells) {
		cells[screen.CursorX].BG = vt10x.DefaultCursor
	}
	var behind, letters strings.Builder
	rect := func(x, y, width, height float64, c vt10x.Color) {
		fmt.Fprintf(&behind, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
			number(x), number(y), number(width), number(height), color(c))
	}
	top := titleHeight + padding + cellHeight*float64(y)
	var end int
	for x := 0; x < len(cells); x = end {
		for end = x + 1; end < len(cells) && cells[end].BG == cells[x].BG; end++ {
		}
		if cells[x].BG != vt10x.DefaultBG {
			rect(left(x), top, cellWidth*float64(end-x), cellHeight, cells[x].BG)
		}
	}
	for x := 0; x < len(cells); x = end {
		end = x + 1
		if isBlank(cells[x]) {
			continue
		}
		if width, height, ok := block(cells[x].Char); ok {
			for ; end < len(cells) && cells[end] == cells[x]; end++ {
				width++
			}
			rect(left(x), top+cellHeight*(1-height), cellWidth*width, cellHeight*height, cells[x].FG)
			continue
		}
		for end < len(cells) && sameStyle(cells[end], cells[x]) && !endsColumn(cells[end:]) {
			end++
		}
		letters.WriteString(drawText(cells[x:end], left(x), top+baseline))
	}
	return behind.String() + letters.String()
}

// endsColumn reports whether cells begin with a gap of more than one.
func endsColumn(cells []vt10x.Glyph) bool {
	return isBlank(cells[0]) && (len(cells) == 1 || isBlank(cells[1]))
}

// block returns the part of a cell that a block of a chart fills, from its left and from its bottom. Blocks are drawn, since
// those of most fonts leave gaps.
func block(char rune) (width, height float64, ok bool) {
	switch {
	case char >= '▁' && char <= '█':
		return 1, float64(char-'▁'+1) / 8, true
	case char > '█' && char <= '▏':
		return float64('▏'-char+1) / 8, 1, true
	}
	return 0, 0, false
}

// drawText draws cells of one style.
func drawText(cells []vt10x.Glyph, x, y float64) string {
	var text strings.Builder
	for len(cells) > 1 && isBlank(cells[len(cells)-1]) {
		cells = cells[:len(cells)-1]
	}
	for _, cell := range cells {
		text.WriteRune(cell.Char)
	}
	var class, style string
	if cells[0].Mode&bold != 0 {
		class = " b"
	}
	if cells[0].Mode&underlined != 0 {
		class += " u"
	}
	if class != "" {
		class = fmt.Sprintf(` class="%s"`, class[1:])
	}
	if cells[0].FG != vt10x.DefaultFG {
		style = fmt.Sprintf(` style="fill:%s"`, color(cells[0].FG))
	}
	return fmt.Sprintf(`<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs"%s%s>%s</text>`+"\n",
		number(x), number(y), number(cellWidth*float64(len(cells))), class, style, escape(text.String()))
}

func isBlank(cell vt10x.Glyph) bool {
	return (cell.Char == ' ' || cell.Char == 0) && cell.Mode&underlined == 0
}

func sameStyle(a, b vt10x.Glyph) bool { return a.FG == b.FG && (a.Mode^b.Mode)&(bold|underlined) == 0 }

// left is where a column begins.
func left(column int) float64 { return padding + cellWidth*float64(column) }

// color returns a colour of the terminal. The program is told that all colours are there, so that it uses none of the
// palettes that each terminal has in its own way.
func color(c vt10x.Color) string {
	switch {
	case c == vt10x.DefaultFG:
		return "#e6e6e6"
	case c == vt10x.DefaultBG:
		return "#000"
	case c == vt10x.DefaultCursor:
		return "#8a8a8a"
	case c.ANSI():
		panic(fmt.Sprintf("colour %d of a palette", c))
	}
	return fmt.Sprintf("#%06x", uint32(c))
}

// number writes a number with at most two decimals.
func number(n float64) string {
	text := strconv.FormatFloat(n, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes all
	return strings.ReplaceAll(b.String(), "&#39;", "'")
}

func TestRowsOfAnAnimation(t *testing.T) {
	t.Parallel()
	line := func(text string) terminal.Screen {
		shown := terminal.Screen{CursorHidden: true, Rows: [][]vt10x.Glyph{make([]vt10x.Glyph, 3)}}
		for x := range shown.Rows[0] {
			shown.Rows[0][x] = vt10x.Glyph{Char: rune(text[x]), FG: vt10x.DefaultFG, BG: vt10x.DefaultBG}
		}
		return shown
	}
	drawn := string(picture{"window", "what <it> shows", []frame{
		{line("a  "), time.Second}, {line("a  "), time.Second}, {line("   "), time.Second}, {line("b<c"), time.Second},
	}}.svg())
	require.Contains(t, drawn, "@keyframes k0{0%{opacity:1}50%{opacity:0}}\n@keyframes k1{0%{opacity:0}75%{opacity:1}}\n")
	require.Contains(t, drawn, `<g class="f" style="animation-name:k0">`)
	require.Contains(t, drawn, `<g class="f l" style="animation-name:k1">`)
	require.Contains(t, drawn, ">b&lt;c</text>")
	require.Contains(t, drawn, "what &lt;it&gt; shows</desc>")
	require.NotContains(t, string(picture{"window", "", []frame{{line("abc"), 0}}}.svg()), "animation")
}
