// Package chart draws small charts as lines of text: bars, a histogram of ages and a sparkline. No line is wider than
// the caller allows, in columns, and every chart has its numbers in digits too, so that a screen reader or a log loses
// nothing. The functions keep nothing and write nothing; their time depends on the size of the chart alone.
package chart

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// A Line is a line of a chart: sanitised pieces of text from left to right, with nothing between them.
type Line []ui.Cell

// Paint returns the line in the colours of its pieces.
func (l Line) Paint(s *ui.Streams) string {
	var b strings.Builder
	for _, cell := range l {
		b.WriteString(s.Paint(cell.Tone, cell.Text))
	}
	return b.String()
}

// Width is the display width of the line, in columns.
func (l Line) Width() int {
	width := 0
	for _, cell := range l {
		width += ui.CellWidth(cell.Text)
	}
	return width
}

// A Bar is a number with a label. The label may be foreign text.
type Bar struct {
	Label string
	Count int // not negative
	Tone  ui.Tone
}

const (
	// leastBar is the width of the longest bar below which a chart has no bars: shorter ones cannot be told apart.
	leastBar = 6
	// leastLabel is the width to which labels are cut so that there are bars.
	leastLabel = 12
)

// Bars draws each bar on a line with its label and its number. The largest number has the longest bar, and the others
// are as long in proportion; only zero has no bar. If there are more bars than lines, the last line has the sum of the
// others.
func Bars(s *ui.Streams, bars []Bar, width, height int) []Line {
	bars = atMost(bars, height)
	labels, numbers, largest := 0, 0, 0
	for _, bar := range bars {
		labels = max(labels, ui.CellWidth(ui.Sanitize(bar.Label)))
		numbers = max(numbers, len(number(bar.Count)))
		largest = max(largest, bar.Count)
	}
	room := width - numbers - 2 // with a blank on both sides of the number
	longest := max(room-labels, min(room-leastLabel, leastBar))
	if longest < leastBar {
		room, longest = width-numbers-1, 0
	}
	labels = max(min(labels, room-longest), 0)
	lines := make([]Line, len(bars))
	for i, bar := range bars {
		count := fmt.Sprintf(" %*s", numbers, number(bar.Count))
		lines[i] = Line{ui.Text(s.Fit(bar.Label, labels)), ui.Text(s.Cut(count, width-labels))}
		if length := horizontal(s, bar.Count, largest, longest); length != "" {
			lines[i] = append(lines[i], ui.Text(" "), ui.Toned(bar.Tone, length))
		}
	}
	return lines
}

// atMost returns so many bars at most, the last of which stands for all that have no line of their own.
func atMost(bars []Bar, height int) []Bar {
	if height <= 0 {
		return nil
	}
	if len(bars) <= height {
		return bars
	}
	shown := append([]Bar{}, bars[:height-1]...)
	others := Bar{Label: fmt.Sprintf("%d more", len(bars)-len(shown)), Tone: ui.Dim}
	for _, bar := range bars[height-1:] {
		others.Count = sum(others.Count, bar.Count)
	}
	return append(shown, others)
}

// sum adds two numbers that are not negative. It is the largest number there is if the sum is larger.
func sum(a, b int) int {
	if total := a + b; total >= 0 {
		return total
	}
	return int(^uint(0) >> 1)
}

// longestNumber is how many digits a number has at most. A larger one is rounded to two digits and its power of ten.
const longestNumber = 9

func number(n int) string {
	if text := strconv.Itoa(n); len(text) <= longestNumber {
		return text
	}
	return strconv.FormatFloat(float64(n), 'e', 1, 64)
}

// scaled is n/of of length, rounded down, but 1 at least unless n is zero.
func scaled(n, of, length int) int {
	if n <= 0 || length <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(n), uint64(length))
	quotient, _ := bits.Div64(high, low, uint64(of)) // of is n at least, so that the quotient fits
	return max(int(quotient), 1)
}

// horizontal is a bar of length columns if n is the largest number.
func horizontal(s *ui.Streams, n, largest, length int) string {
	if !s.UTF8 {
		return strings.Repeat("#", scaled(n, largest, length))
	}
	const parts = 8 // of a column
	eighths := scaled(n, largest, length*parts)
	bar := strings.Repeat("█", eighths/parts)
	if rest := eighths % parts; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// bounds are the ages, named in words, at which the classes of Ages begin, apart from the first one.
var bounds = [...]struct {
	age   time.Duration
	words string
}{
	{time.Hour, "1h"}, {4 * time.Hour, "4h"}, {day, "1d"}, {3 * day, "3d"},
	{week, "1w"}, {2 * week, "2w"}, {4 * week, "4w"},
}

// AgeClasses is how many classes of ages there are.
const AgeClasses = len(bounds) + 1

// Ages are how many ages are in each class, the youngest class first.
type Ages [AgeClasses]int

// AgeClass is the index in Ages of an age. An age below zero, of a clock that is ahead, is in the youngest class.
func AgeClass(age time.Duration) int {
	class := 0
	for class < len(bounds) && age >= bounds[class].age {
		class++
	}
	return class
}

// Labels are the names of the classes, such as 4h-1d: an age of four hours or more and less than a day.
func (Ages) Labels() (labels [AgeClasses]string) {
	for class := range labels {
		labels[class] = ageLabel(class, class)
	}
	return labels
}

// ageLabel is the name of the classes from one to another.
func ageLabel(first, last int) string {
	switch {
	case last == len(bounds) && first == 0:
		return "all"
	case last == len(bounds):
		return bounds[first-1].words + "+"
	case first == 0:
		return "<" + bounds[last].words
	}
	return bounds[first-1].words + "-" + bounds[last].words
}

// Histogram draws a bar for each class of ages, the youngest first. If there are fewer lines than classes, the youngest
// classes share one, as the old ones are those to look after.
func Histogram(s *ui.Streams, ages Ages, tone ui.Tone, width, height int) []Line {
	if height <= 0 {
		return nil
	}
	joined := max(AgeClasses-height, 0) // the last class that shares the first line
	bars := []Bar{{Label: ageLabel(0, joined), Tone: tone}}
	for _, count := range ages[:joined+1] {
		bars[0].Count = sum(bars[0].Count, count)
	}
	for class := joined + 1; class < AgeClasses; class++ {
		bars = append(bars, Bar{Label: ageLabel(class, class), Count: ages[class], Tone: tone})
	}
	return Bars(s, bars, width, height)
}

// Sparkline draws numbers that follow each other in time, one column for each, as many of the latest as fit. Unit is
// what one of them counts for, such as h. The largest number shown has the highest mark; only zero has the lowest. The
// numbers are on the second line: the sum, the largest and the last of those shown. With a single line they follow the
// marks.
func Sparkline(s *ui.Streams, values []int, unit string, tone ui.Tone, width, height int) []Line {
	if height <= 0 || width <= 0 {
		return nil
	}
	if height > 1 {
		shown := latest(values, width)
		return []Line{{ui.Toned(tone, marks(s, shown))}, {ui.Text(words(s, shown, unit, width))}}
	}
	const least, most = 12, 32 // columns of the numbers: the last one, and all of them
	shown := latest(values, width-1-min(max(width/2, least), most))
	if len(shown) == 0 {
		return []Line{{ui.Text(words(s, latest(values, 1), unit, width))}}
	}
	return []Line{{ui.Toned(tone, marks(s, shown)), ui.Text(" " + words(s, shown, unit, width-len(shown)-1))}}
}

// latest are the last numbers, so many at most.
func latest(values []int, most int) []int { return values[max(len(values)-max(most, 0), 0):] }

// words are the sum, the largest and the last of numbers, or what of it fits.
func words(s *ui.Streams, values []int, unit string, width int) string {
	total, largest, last := 0, 0, 0
	for _, value := range values {
		total, largest, last = sum(total, value), max(largest, value), value
	}
	shortest := "last " + number(last)
	shorter := "most " + number(largest) + ", " + shortest
	whole := fmt.Sprintf("%s in %d%s, %s", number(total), len(values), unit, shorter)
	for _, text := range []string{whole, shorter} {
		if ui.CellWidth(text) <= width {
			return text
		}
	}
	return s.Cut(shortest, width)
}

// marks is one character for each number.
func marks(s *ui.Streams, values []int) string {
	levels := []rune(".:-=+*#")
	if s.UTF8 {
		levels = []rune("▁▂▃▄▅▆▇█")
	}
	largest := 0
	for _, value := range values {
		largest = max(largest, value)
	}
	var b strings.Builder
	for _, value := range values {
		b.WriteRune(levels[scaled(value, largest, len(levels)-1)])
	}
	return b.String()
}
