package chart_test

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/chart"
)

// drawn is what a chart looks like without colours.
func drawn(lines []chart.Line) string {
	var all []string
	for _, line := range lines {
		all = append(all, line.Paint(&ui.Streams{}))
	}
	return strings.Join(all, "\n")
}

func TestCharts(t *testing.T) {
	t.Parallel()
	utf8, ascii := &ui.Streams{UTF8: true}, &ui.Streams{}
	statuses := []chart.Bar{
		{Label: "under_review", Count: 3}, {Label: "resubmission_required", Count: 12}, {Label: "approved", Count: 178},
		{Label: "rejected", Count: 0},
	}
	var ages chart.Ages
	for _, hours := range []int{-1, 0, 1, 3, 4, 23, 24, 100, 1000, 2000} {
		ages[chart.AgeClass(time.Duration(hours)*time.Hour)]++
	}
	perHour := []int{0, 1, 2, 3, 4, 5, 6, 7, 0, 3}
	for name, c := range map[string]struct {
		lines []chart.Line
		want  []string
	}{
		"bars": {chart.Bars(utf8, statuses, 40, 4), []string{
			"under_review            3 ▏",
			"resubmission_required  12 ▉",
			"approved              178 ██████████████",
			"rejected                0",
		}},
		"bars in ASCII": {chart.Bars(ascii, statuses, 40, 10), []string{
			"under_review            3 #",
			"resubmission_required  12 #",
			"approved              178 ##############",
			"rejected                0",
		}},
		"more bars than lines": {chart.Bars(utf8, statuses, 30, 2), []string{
			"under_review   3 ▏",
			"3 more       190 █████████████",
		}},
		"labels that leave room for bars": {chart.Bars(utf8, statuses, 26, 4), []string{
			"under_review      3 ▏",
			"resubmission_r…  12 ▍",
			"approved        178 ██████",
			"rejected          0",
		}},
		"too narrow for bars": {chart.Bars(ascii, statuses, 20, 4), []string{
			"under_review       3",
			"resubmission_re~  12",
			"approved         178",
			"rejected           0",
		}},
		"one huge number": {chart.Bars(utf8, []chart.Bar{{Label: "a", Count: math.MaxInt}, {Label: "b", Count: 1}}, 20, 2), []string{
			"a 9.2e+18 ██████████", "b       1 ▏",
		}},
		"zeros":   {chart.Bars(utf8, []chart.Bar{{Label: "a"}, {Label: "b"}}, 20, 2), []string{"a 0", "b 0"}},
		"nothing": {chart.Bars(utf8, nil, 20, 2), nil},
		"foreign text": {chart.Bars(utf8, []chart.Bar{{Label: "a\x1b[2J", Count: 1}, {Label: "日本語", Count: 2}}, 30, 2), []string{
			`a\x1b[2J 1 █████████▌`, "日本語   2 ███████████████████",
		}},
		"ages": {chart.Histogram(utf8, ages, ui.Plain, 20, 8), []string{
			"<1h   2 ████████████", "1h-4h 2 ████████████", "4h-1d 2 ████████████", "1d-3d 1 ██████",
			"3d-1w 1 ██████", "1w-2w 0", "2w-4w 0", "4w+   2 ████████████",
		}},
		"ages in few lines": {chart.Histogram(ascii, ages, ui.Plain, 20, 3), []string{
			"<2w   8 ############", "2w-4w 0", "4w+   2 ###",
		}},
		"ages in one line": {chart.Histogram(ascii, ages, ui.Plain, 20, 1), []string{"all 10 #############"}},
		"a sparkline": {chart.Sparkline(utf8, perHour, "h", ui.Plain, 30, 2), []string{
			"▁▂▃▄▅▆▇█▁▄", "31 in 10h, most 7, last 3",
		}},
		"a sparkline in ASCII":  {chart.Sparkline(ascii, perHour, "h", ui.Plain, 30, 2), []string{".::-=+*#.-", "31 in 10h, most 7, last 3"}},
		"a narrow sparkline":    {chart.Sparkline(utf8, perHour, "h", ui.Plain, 5, 2), []string{"▆▇█▁▄", "last…"}},
		"a sparkline of a line": {chart.Sparkline(utf8, perHour, "h", ui.Plain, 40, 1), []string{"▁▂▃▄▅▆▇█▁▄ 31 in 10h, most 7, last 3"}},
		"of a narrow line":      {chart.Sparkline(utf8, perHour, "h", ui.Plain, 20, 1), []string{"▄▅▆▇█▁▄ last 3"}},
		"of no number":          {chart.Sparkline(utf8, nil, "h", ui.Plain, 30, 1), []string{"0 in 0h, most 0, last 0"}},
		"of zeros":              {chart.Sparkline(utf8, []int{0, 0}, "d", ui.Plain, 30, 1), []string{"▁▁ 0 in 2d, most 0, last 0"}},
	} {
		require.Equal(t, strings.Join(c.want, "\n"), drawn(c.lines), name)
	}
}

// Charts have the colours of their data, and colours take no room.
func TestTones(t *testing.T) {
	t.Parallel()
	s := &ui.Streams{ColorOut: true}
	for _, lines := range [][]chart.Line{
		chart.Bars(s, []chart.Bar{{Label: "rejected", Count: 1, Tone: ui.Bad}}, 30, 1),
		chart.Histogram(s, chart.Ages{1}, ui.Bad, 30, 1),
		chart.Sparkline(s, []int{1}, "h", ui.Bad, 30, 1),
	} {
		require.Contains(t, lines[0].Paint(s), "\x1b[", "painted")
		require.True(t, slices.ContainsFunc(lines[0], func(c ui.Cell) bool { return c.Tone == ui.Bad }))
	}
}

// Every class of ages begins where the one before ends, and its name says where.
func TestAgeClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		age   time.Duration
		label string
	}{
		{-time.Hour, "<1h"},
		{time.Hour - 1, "<1h"},
		{time.Hour, "1h-4h"},
		{4*time.Hour - 1, "1h-4h"},
		{4 * time.Hour, "4h-1d"},
		{24*time.Hour - 1, "4h-1d"},
		{24 * time.Hour, "1d-3d"},
		{72 * time.Hour, "3d-1w"},
		{7 * 24 * time.Hour, "1w-2w"},
		{14 * 24 * time.Hour, "2w-4w"},
		{28 * 24 * time.Hour, "4w+"},
		{math.MaxInt64, "4w+"},
	} {
		require.Equal(t, c.label, chart.Ages{}.Labels()[chart.AgeClass(c.age)], c.age.String())
	}
}

// No line is wider, and no chart higher, than the caller allows; larger numbers have marks that are as long or longer.
func TestChartsFit(t *testing.T) {
	t.Parallel()
	count := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, math.MaxInt))
	rapid.Check(t, func(r *rapid.T) {
		s := &ui.Streams{UTF8: rapid.Bool().Draw(r, "utf8")}
		width, height := rapid.IntRange(0, 300).Draw(r, "width"), rapid.IntRange(-1, 20).Draw(r, "height")
		bars := rapid.SliceOf(rapid.Custom(func(r *rapid.T) chart.Bar {
			return chart.Bar{Label: rapid.String().Draw(r, "label"), Count: count.Draw(r, "count")}
		})).Draw(r, "bars")
		values := rapid.SliceOf(count).Draw(r, "values")
		var ages chart.Ages
		for i := range ages {
			ages[i] = count.Draw(r, "age")
		}
		before := slices.Clone(bars)
		for _, lines := range [][]chart.Line{
			chart.Bars(s, bars, width, height), chart.Histogram(s, ages, ui.Plain, width, height),
			chart.Sparkline(s, values, "h", ui.Plain, width, height),
		} {
			require.LessOrEqual(r, len(lines), max(height, 0))
			for _, line := range lines {
				text := line.Paint(s)
				require.LessOrEqual(r, ui.CellWidth(text), width, text)
				require.Equal(r, ui.CellWidth(text), line.Width())
				require.Equal(r, ui.Sanitize(text), text)
				require.False(r, width >= 20 && strings.HasSuffix(text, " "), "a line ends in a blank: %q", text)
			}
		}
		require.Equal(r, before, bars, "the caller's bars are unchanged")

		if lines := chart.Bars(s, bars, max(width, 20), len(bars)); len(bars) > 0 {
			order := make([]int, len(bars))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(bars[a].Count, bars[b].Count) })
			largest := bars[order[len(order)-1]].Count
			for i := 1; i < len(order); i++ {
				require.LessOrEqual(r, eighths(lines[order[i-1]]), eighths(lines[order[i]]))
			}
			for i, line := range lines {
				if isDrawn := eighths(lines[order[len(order)-1]]) > 0; isDrawn {
					require.Equal(r, bars[i].Count > 0, eighths(line) > 0, "only zero has no bar")
				}
				if bars[i].Count == largest {
					require.Equal(r, eighths(lines[order[len(order)-1]]), eighths(line))
				}
				if bars[i].Count < 1e9 {
					require.Contains(r, line.Paint(s), " "+strconv.Itoa(bars[i].Count), "the number is on the line of its bar")
				}
			}
		}
	})
}

// eighths is the length of the bar of a line, in eighths of a column.
func eighths(line chart.Line) (length int) {
	if len(line) < 4 {
		return 0
	}
	for _, r := range line[3].Text {
		if r == '#' {
			r = '█'
		}
		length += 8 - int(r-'█') // U+2588 is a whole column, and each further character an eighth less
	}
	return length
}

// Marks of a sparkline rise with the numbers.
func TestSparklinesAreMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := &ui.Streams{UTF8: rapid.Bool().Draw(r, "utf8")}
		values := rapid.SliceOfN(rapid.IntRange(0, math.MaxInt), 1, 60).Draw(r, "values")
		slices.Sort(values)
		marks := []rune(chart.Sparkline(s, values, "h", ui.Plain, 60, 2)[0][0].Text)
		require.Len(r, marks, len(values))
		levels := ".:-=+*#"
		if s.UTF8 {
			levels = "▁▂▃▄▅▆▇█"
		}
		level := func(i int) int { return utf8.RuneCountInString(levels[:strings.IndexRune(levels, marks[i])]) }
		for i := range values {
			require.Equal(r, values[i] == 0, level(i) == 0)
			require.True(r, i == 0 || level(i-1) <= level(i))
		}
	})
}
