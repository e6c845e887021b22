package ui

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"
)

// A color has its red, green and blue from 0 to 255.
type color [3]float64

var black, white = color{0, 0, 0}, color{255, 255, 255}

// linear returns the parts of the colour in proportion to their light (WCAG 2.2, relative luminance).
func (c color) linear() (parts [3]float64) {
	for i, part := range c {
		part /= 255
		parts[i] = part / 12.92
		if part > 0.04045 {
			parts[i] = math.Pow((part+0.055)/1.055, 2.4)
		}
	}
	return parts
}

func (c color) luminance() float64 {
	parts := c.linear()
	return 0.2126*parts[0] + 0.7152*parts[1] + 0.0722*parts[2]
}

func contrast(a, b color) float64 {
	dark, light := min(a.luminance(), b.luminance()), max(a.luminance(), b.luminance())
	return (light + 0.05) / (dark + 0.05)
}

// basicColors are the 16 basic colours of terminals.
var basicColors = map[string][16]color{
	"xterm": {
		{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
		{127, 127, 127}, {255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
	},
	"Linux console": {
		{0, 0, 0}, {170, 0, 0}, {0, 170, 0}, {170, 85, 0}, {0, 0, 170}, {170, 0, 170}, {0, 170, 170}, {170, 170, 170},
		{85, 85, 85}, {255, 85, 85}, {85, 255, 85}, {255, 255, 85}, {85, 85, 255}, {255, 85, 255}, {85, 255, 255}, {255, 255, 255},
	},
	"Windows Console (Campbell)": {
		{12, 12, 12}, {197, 15, 31}, {19, 161, 14}, {193, 156, 0}, {0, 55, 218}, {136, 23, 152}, {58, 150, 221}, {204, 204, 204},
		{118, 118, 118}, {231, 72, 86}, {22, 198, 12}, {249, 241, 165}, {59, 120, 255}, {180, 0, 158}, {97, 214, 214}, {242, 242, 242},
	},
	"macOS Terminal": {
		{0, 0, 0}, {194, 54, 33}, {37, 188, 36}, {173, 173, 39}, {73, 46, 225}, {211, 56, 211}, {51, 187, 200}, {203, 204, 205},
		{129, 131, 131}, {252, 57, 31}, {49, 231, 34}, {234, 236, 35}, {88, 51, 255}, {249, 53, 248}, {20, 240, 240}, {233, 235, 235},
	},
}

// A look is what a terminal makes of the escape sequences before a text. A colour that is nil is the terminal's own.
type look struct {
	front, back          *color
	isBasic              bool // a colour is one of the basic ones
	isBold, isUnderlined bool
	isReversed           bool
}

var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)

// lookOf reads the look of a painted text, which must end with a reset if it has any. Bold brightens basic colours if
// the terminal does so.
func lookOf(t *testing.T, painted, text string, palette [16]color, boldBrightens bool) (l look) {
	t.Helper()
	found := sequence.FindStringSubmatch(painted)
	if found == nil {
		require.Equal(t, text, painted)
		return l
	}
	require.Equal(t, found[0]+text+"\x1b[0m", painted)
	codes := strings.Split(found[1], ";")
	number := func(i int) int {
		n, err := strconv.Atoi(codes[i])
		require.NoError(t, err)
		return n
	}
	front := -1
	for i := 0; i < len(codes); i++ {
		place := &l.front
		switch n := number(i); {
		case n == 1:
			l.isBold = true
		case n == 4:
			l.isUnderlined = true
		case n == 7:
			l.isReversed = true
		case n == 38 || n == 48:
			if n == 48 {
				place = &l.back
			}
			if number(i+1) == 5 {
				*place = cube(t, number(i+2))
				i += 2
			} else {
				require.Equal(t, 2, number(i+1))
				*place = &color{float64(number(i + 2)), float64(number(i + 3)), float64(number(i + 4))}
				i += 4
			}
		case n >= 30 && n <= 37:
			l.isBasic, front = true, n-30
		case n >= 90 && n <= 97:
			l.isBasic, front = true, n-90+8
		case n >= 40 && n <= 47:
			l.isBasic, l.back = true, &palette[n-40]
		default:
			require.Fail(t, "an attribute that not every terminal shows alike", "%q", painted)
		}
	}
	if front >= 0 && front < 8 && l.isBold && boldBrightens {
		front += 8
	}
	if front >= 0 {
		l.front = &palette[front]
	}
	return l
}

// cube is a colour of the table of 256 that no user's theme changes.
func cube(t *testing.T, n int) *color {
	t.Helper()
	require.GreaterOrEqual(t, n, 16)
	if n >= 232 {
		grey := float64(8 + 10*(n-232))
		return &color{grey, grey, grey}
	}
	levels := [6]float64{0, 95, 135, 175, 215, 255}
	n -= 16
	return &color{levels[n/36], levels[n/6%6], levels[n%6]}
}

// worstContrast is the least contrast of the look on a black and on a white background, whose own foreground is the
// opposite.
func (l look) worstContrast() float64 {
	worst := math.Inf(1)
	for _, own := range [][2]color{{white, black}, {black, white}} {
		front, back := own[0], own[1]
		if l.front != nil {
			front = *l.front
		}
		if l.back != nil {
			back = *l.back
		}
		worst = min(worst, contrast(front, back)) // reverse video exchanges both, with the same contrast
	}
	return worst
}

var testedProfiles = map[string]colorprofile.Profile{
	"16 colours": colorprofile.ANSI, "256 colours": colorprofile.ANSI256, "exact colours": colorprofile.TrueColor,
}

// Each tone, in a line of its own and in the selected line, has a contrast of 4.5:1 at least, on a black and on a white
// background, in the palettes of the usual terminals (WCAG 2.2, 1.4.3).
func TestEveryToneIsReadableOnBlackAndOnWhite(t *testing.T) {
	t.Parallel()
	const least = 4.5
	for name, profile := range testedProfiles {
		s := &Streams{ColorOut: true, Profile: profile}
		for terminal, basic := range basicColors {
			for tone := range toneCount {
				for _, boldBrightens := range []bool{false, true} {
					what := fmt.Sprintf("tone %d, %s, %s, bold brightens: %t", tone, name, terminal, boldBrightens)
					l := lookOf(t, s.Paint(tone, "text"), "text", basic, boldBrightens)
					require.GreaterOrEqual(t, l.worstContrast(), least, what)
					require.False(t, l.isReversed, what)

					selected := lookOf(t, s.PaintSelected(tone, "text"), "text", basic, boldBrightens)
					require.GreaterOrEqual(t, selected.worstContrast(), least, what)
					isOwn := selected.front != nil && selected.back != nil
					require.True(t, isOwn || selected.isReversed && selected.front == nil && selected.back == nil, "a bar is seen: %s", what)
					// The Linux console shows bold letters in reverse video as grey ones on grey.
					require.False(t, profile == colorprofile.ANSI && selected.isReversed && (selected.isBold || selected.isUnderlined), what)
					if isOwn && !selected.isBasic {
						require.GreaterOrEqual(t, min(contrast(*selected.back, black), contrast(*selected.back, white)), least, "the bar itself: %s", what)
					}
				}
			}
		}
	}
}

// Sight that lacks one kind of cones, as matrices over linear colours (Machado, Oliveira and Fernandes, 2009).
var sights = map[string][3][3]float64{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns the colour in CIE L*a*b*, in which distances are those that are seen.
func (c color) lab(sight [3][3]float64) (l, a, b float64) {
	parts := c.linear()
	var seen [3]float64
	for i, row := range sight {
		seen[i] = min(max(row[0]*parts[0]+row[1]*parts[1]+row[2]*parts[2], 0), 1)
	}
	f := func(part float64) float64 {
		if part > 0.008856 {
			return math.Cbrt(part)
		}
		return 7.787*part + 16.0/116
	}
	x := f((0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]) / 0.9505)
	y := f(0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2])
	z := f((0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]) / 1.0890)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// The turns where a person should look differ from all others, also for readers who do not see all colours: by an
// attribute, or by a colour that they can tell.
func TestTurnsAreToldApart(t *testing.T) {
	t.Parallel()
	const least = 15.0 // several times what is just noticed
	for name, profile := range testedProfiles {
		s := &Streams{ColorOut: true, Profile: profile}
		for _, one := range []Tone{Staff, Applicant, Bad} {
			for _, other := range []Tone{Staff, Applicant, Bad, Provider, Good, Dim, Plain} {
				if one == other {
					continue
				}
				what := fmt.Sprintf("tones %d and %d, %s", one, other, name)
				a, b := lookOf(t, s.Paint(one, "x"), "x", basicColors["xterm"], false), lookOf(t, s.Paint(other, "x"), "x", basicColors["xterm"], false)
				if a.isBold != b.isBold || (a.front == nil) != (b.front == nil) {
					continue
				}
				for sight, matrix := range sights {
					seen := distance(*a.front, *b.front, matrix)
					if a.back != nil && b.back != nil {
						seen = max(seen, distance(*a.back, *b.back, matrix))
					}
					require.GreaterOrEqual(t, seen, least, "%s, %s", what, sight)
				}
			}
		}
	}
}

func distance(a, b color, sight [3][3]float64) float64 {
	l1, a1, b1 := a.lab(sight)
	l2, a2, b2 := b.lab(sight)
	return math.Hypot(math.Hypot(l1-l2, a1-a2), b1-b2)
}
