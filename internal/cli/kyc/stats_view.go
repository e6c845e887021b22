package kyc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/report"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/chart"
)

const (
	twoColumns    = 120 // columns of a terminal that shows two charts side by side
	widestChart   = 100 // columns of a chart that is still read with ease
	chartGap      = 4
	ageColumns    = 9  // of an age below its heading
	mostReasons   = 12 // lines
	mostStatuses  = 20 // lines; the contract has ten statuses
	weekdayAndDay = "Mon 2006-01-02"
)

// drawStatistics draws the statistics for a terminal: charts, two side by side if there is room.
func drawStatistics(s *ui.Streams, all *statistics) string {
	width := s.Width()
	column, isWide := min(width, widestChart), width >= twoColumns
	if isWide {
		column = min((width-chartGap)/2, widestChart)
	}
	left, right := [][]chart.Line{statusChart(s, all, column)}, [][]chart.Line{ageChart(s, all, column)}
	if v := all.Verdicts; v != nil {
		left, right = append(left, dayChart(s, v, column)), append(right, reasonChart(s, v, column))
	}
	lines := []chart.Line{heading(s, width, "Identity checks at %s (%s)", all.At.Format(time.DateTime), all.TimeZone)}
	for i := range left {
		lines = append(lines, nil)
		if isWide {
			lines = append(lines, sideBySide(left[i], right[i], column)...)
			continue
		}
		lines = append(lines, left[i]...)
		if len(right[i]) > 0 {
			lines = append(append(lines, nil), right[i]...)
		}
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line.Paint(s) + "\n")
	}
	return text.String()
}

// sideBySide joins the lines of two charts, the left one of which has so many columns.
func sideBySide(left, right []chart.Line, columns int) (lines []chart.Line) {
	for i := range max(len(left), len(right)) {
		var line chart.Line
		if i < len(left) {
			line = left[i]
		}
		if i < len(right) && len(right[i]) > 0 {
			padding := ui.Text(strings.Repeat(" ", columns+chartGap-line.Width()))
			line = slices.Concat(line, chart.Line{padding}, right[i])
		}
		lines = append(lines, line)
	}
	return lines
}

// heading is a line above a chart.
func heading(s *ui.Streams, width int, format string, args ...any) chart.Line {
	return chart.Line{ui.Toned(ui.Bold, s.Cut(fmt.Sprintf(format, args...), width))}
}

// statusChart has a bar for each status, with the ages of its checks if they are open.
func statusChart(s *ui.Streams, all *statistics, width int) []chart.Line {
	rows := slices.DeleteFunc(slices.Clone(all.Statuses), func(row report.StatusCount) bool { return row.Accounts == 0 })
	bars := make([]chart.Bar, len(rows))
	for i, row := range rows {
		bars[i] = chart.Bar{Label: string(row.Status), Count: row.Accounts, Tone: cmdutil.KYCStatus(row.Status).Tone}
	}
	room := width - 2*ageColumns
	ages := func(line chart.Line, tone ui.Tone, median, p90 string) chart.Line {
		padding := strings.Repeat(" ", room-line.Width())
		return append(line, ui.Toned(tone, fmt.Sprintf("%s%*s%*s", padding, ageColumns, median, ageColumns, p90)))
	}
	lines := chart.Bars(s, bars, room, mostStatuses)
	for i := range lines {
		if isOwn := i < mostStatuses-1 || len(rows) <= mostStatuses; isOwn && rows[i].IsOpen {
			lines[i] = ages(lines[i], ui.Plain, age(rows[i].Median), age(rows[i].P90))
		}
	}
	title := heading(s, room, "%s by status", cmdutil.Count(all.Accounts, "account(s)"))
	if all.Open.Accounts > 0 {
		title = ages(title, ui.Dim, "median", "90 %")
	}
	return append([]chart.Line{title}, lines...)
}

// age formats an age in seconds.
func age(seconds *int64) string { return ui.Age(time.Duration(*seconds) * time.Second) }

// ageChart has a bar for each class of ages of the open checks.
func ageChart(s *ui.Streams, all *statistics, width int) []chart.Line {
	open := all.Open
	if open.Accounts == 0 {
		return []chart.Line{heading(s, width, "No open checks")}
	}
	title := heading(s, width, "%s by time in their status", cmdutil.Count(open.Accounts, "open check(s)"))
	words := fmt.Sprintf("median %s, 90 %% up to %s, oldest %s", age(open.Median), age(open.P90), age(open.Oldest))
	return slices.Concat([]chart.Line{title, {ui.Toned(ui.Dim, s.Cut(words, width))}},
		chart.Histogram(s, all.ages, ui.Plain, width, chart.AgeClasses))
}

// dayChart has the verdicts of each day in numbers, and a bar for their sum, and a sparkline of the last hours.
func dayChart(s *ui.Streams, v *verdicts, width int) []chart.Line {
	numbers := make([][]string, len(v.Days)) // of each day, in the order of the columns
	columns := report.Verdicts()
	short := map[payments.KYCStatus]string{payments.KYCStatusResubmissionRequired: "resubmit"}
	widths := make([]int, len(columns))
	titles := make([]string, len(columns))
	for i, verdict := range columns {
		if titles[i] = short[verdict]; titles[i] == "" {
			titles[i] = string(verdict)
		}
		widths[i] = len(titles[i])
		for day, count := range v.Days {
			text := strconv.Itoa(count.Of(verdict))
			numbers[day] = append(numbers[day], text)
			widths[i] = max(widths[i], len(text))
		}
	}
	row := func(label string, cells []string) string {
		for i, cell := range cells {
			label += fmt.Sprintf(" %*s", widths[i], cell)
		}
		return label
	}
	var bars []chart.Bar
	sum := 0
	for i, day := range v.Days {
		date, _ := time.Parse(time.DateOnly, day.Day)
		bars = append(bars, chart.Bar{
			Label: row(date.Format(weekdayAndDay), numbers[i]), Count: day.Sum(),
		})
		sum += day.Sum()
	}
	if sum == 0 {
		return []chart.Line{heading(s, width, "No verdicts in %s", cmdutil.Count(len(v.Days), "day(s)"))}
	}
	lines := []chart.Line{
		heading(s, width, "%s in %s", cmdutil.Count(sum, "verdict(s)"), cmdutil.Count(len(v.Days), "day(s)")),
		{ui.Toned(ui.Dim, s.Cut(row(strings.Repeat(" ", len(weekdayAndDay)), titles), width))},
	}
	lines = append(lines, chart.Bars(s, bars, width, len(bars))...)
	hours := make([]int, len(v.Hours))
	for i, hour := range v.Hours {
		hours[i] = hour.Verdicts
	}
	return slices.Concat(lines, []chart.Line{nil, heading(s, width, "Verdicts per hour")},
		chart.Sparkline(s, hours, "h", ui.Plain, width, 2))
}

// reasonChart has a bar for each reason, the most frequent first.
func reasonChart(s *ui.Streams, v *verdicts, width int) []chart.Line {
	if len(v.Reasons) == 0 {
		return nil
	}
	var bars []chart.Bar
	for _, reason := range v.Reasons {
		label := reason.Code // first, so that a cut leaves it
		if reason.Message != "" && reason.Message != reason.Code {
			label = strings.TrimPrefix(label+": "+reason.Message, ": ")
		}
		bars = append(bars, chart.Bar{Label: label, Count: reason.Count})
	}
	return append([]chart.Line{heading(s, width, "Reasons of verdicts")}, chart.Bars(s, bars, width, mostReasons)...)
}
