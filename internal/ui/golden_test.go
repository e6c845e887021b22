package ui

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/golden"
)

func sampleTable() Table {
	return Table{
		Columns: []Column{{Header: "id"}, {Header: "Holder", Name: "holderName"}, {Header: "Amount", Right: true}, {Header: "State"}, {Header: "Detail"}},
		Rows: [][]Cell{
			{Text("trf_01J0000000000000000000000A"), Text("山田太郎"), Text("12.50 USD"), Toned(Good, "payment_processed"), Text("")},
			{Text("trf_01J0000000000000000000000B"), Text("Zoë \x1b[31mEvil\u202e"), Text("-1000000.00 USD"), Toned(Bad, "failed"),
				Text("the deposit of 999.99 USD does not meet the amount of 1000.00 USD, so it was sent back to where it came from")},
			{Text("trf_01J0000000000000000000000C"), Text("A"), Text("3"), Toned(Warn, "in_review")},
		},
		Empty: "No transfers.",
	}
}

func sampleDetails() Details {
	return Details{
		{Label: "Account", Cells: []Cell{Text("acc_1")}},
		{Label: "KYC status", Cells: []Cell{Toned(Warn, "resubmission_required")}},
		{Label: "理由", Cells: []Cell{Text("expired_document"), Text("poor_quality\ndocument")}},
		{Label: "Reviewed"},
		{Label: "Link", Cells: []Cell{Text("https://verify.example.test/" + strings.Repeat("x", 90))}},
	}
}

func sampleProblem() ProblemView {
	return ProblemView{
		Title: "One or more validation errors occurred.", Status: 400,
		Detail: "The request body failed validation.\nSee \x1b[5mthe page.\n",
		Fields: []ProblemField{
			{Name: "destinationSavedContactId", Messages: []string{"The destinationSavedContactId field is required."}},
			{Name: "route", Messages: []string{"The route field is required.", "second\rmessage"}},
			{Name: "bare"},
		},
		RequestID: "req_1\x07",
		TraceID:   "4bf92f35\x1b",
		Next:      []string{"payctl contacts list", "payctl routes list"},
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 200} {
		for _, color := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d-color-%v", width, color), func(t *testing.T) {
				t.Parallel()
				var b bytes.Buffer
				s := &Streams{
					Out: &b, Err: &b, OutTTY: true, ErrTTY: true, UTF8: true, ColorOut: color, ColorErr: color, ManyColors: true,
					Columns: func() int { return width },
				}
				p, err := NewPrinter(s, FormatTable, "")
				require.NoError(t, err)
				require.NoError(t, p.Print(nil, func() View { return sampleTable() }))
				for line := range strings.Lines(b.String()) {
					require.LessOrEqual(t, ansi.StringWidth(strings.TrimSuffix(line, "\n")), width)
				}
				b.WriteString("\n")
				require.NoError(t, p.Print(nil, func() View { return sampleDetails() }))
				b.WriteString("\n")
				s.Problem(sampleProblem())
				golden.Require(t, fmt.Sprintf("golden/screen-%d-color-%v.txt", width, color), b.Bytes())
				require.Equal(t, color, bytes.Contains(b.Bytes(), []byte("\x1b[")))
			})
		}
	}
}

func TestScreenOffTerminal(t *testing.T) {
	t.Parallel()
	b := wholeLines{t: t}
	s := &Streams{Out: &b, Err: &b}
	p, err := NewPrinter(s, FormatTable, "")
	require.NoError(t, err)
	require.NoError(t, p.Print(nil, func() View { return sampleTable() }))
	require.NoError(t, p.Print(nil, func() View { return sampleDetails() }))
	s.Problem(sampleProblem())
	golden.Require(t, "golden/pipe.txt", b.Bytes())
}

func TestNarrowTerminals(t *testing.T) {
	t.Parallel()
	table := sampleTable()
	for width := 1; width < 130; width++ {
		for _, utf8 := range []bool{true, false} {
			f := surface{tty: true, style: style{utf8: utf8}, width: width}
			out := drawn(f, table)
			require.Equal(t, len(table.Rows)+1, strings.Count(out, "\n"))
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				require.LessOrEqual(t, ansi.StringWidth(line), width, "%q", line)
				require.Equal(t, strings.TrimRight(line, " "), line)
			}
		}
	}
}

func TestColumnsAlignByDisplayWidth(t *testing.T) {
	t.Parallel()
	f := surface{tty: true, style: style{utf8: true}, width: 80}
	out := drawn(f, Table{
		Columns: []Column{{Header: "n"}, {Header: "x"}},
		Rows:    [][]Cell{{Text("山田"), Text("1")}, {Text("abcd"), Text("2")}, {Text("é"), Text("3")}},
	})
	require.Equal(t, "N     X\n山田  1\nabcd  2\né     3\n", out)
}
