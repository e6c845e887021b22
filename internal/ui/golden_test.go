package ui

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// A table is a list in a test.
type table struct {
	columns []Column
	rows    [][]Cell
}

// print prints the list as commands do.
func (l table) print(t require.TestingT, p *Printer) {
	st := p.Stream(l.columns)
	st.Empty, st.Advice = "No transfers.", "use a wider terminal or -o csv"
	require.NoError(t, st.WritePage(make([]any, len(l.rows)), l.rows))
	require.NoError(t, st.Close())
}

// drawn returns the list as these streams show it.
func (l table) drawn(t require.TestingT, s *Streams) string {
	var out bytes.Buffer
	s.Out, s.Err = &out, io.Discard
	p, err := NewPrinter(s, FormatTable, "")
	require.NoError(t, err)
	l.print(t, p)
	return out.String()
}

// ofWidth returns the streams of a terminal of this width.
func ofWidth(width int) *Streams {
	return &Streams{OutTTY: true, UTF8: true, Columns: func() int { return width }}
}

func sampleTable() table {
	return table{
		columns: []Column{
			{Header: "id"}, {Header: "Holder", Name: "holderName"}, {Header: "Amount", Right: true}, {Header: "State"},
			{Header: "Detail"},
		},
		rows: [][]Cell{
			{
				Text("trf_01J0000000000000000000000A"), Text("山田太郎"), Text("12.50 USD"), Toned(Good, "payment_processed"),
				Text(""),
			},
			{
				Text("trf_01J0000000000000000000000B"), Text("Zoë \x1b[31mEvil\u202e"), Text("-1000000.00 USD"),
				Toned(Bad, "failed"), Text("the deposit of 999.99 USD does not meet the amount of 1000.00 USD, " +
					"so it was sent back to where it came from"),
			},
			{Text("trf_01J0000000000000000000000C"), Text("A"), Text("3"), Toned(Warn, "in_review")},
		},
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
				sampleTable().print(t, p)
				for line := range strings.Lines(b.String()) {
					require.LessOrEqual(t, ansi.StringWidth(strings.TrimSuffix(line, "\n")), width)
				}
				b.WriteString("\n")
				require.NoError(t, p.Print(nil, sampleDetails))
				b.WriteString("\n")
				s.Problem(sampleProblem())
				testkit.RequireGolden(t, fmt.Sprintf("golden/screen-%d-color-%v.txt", width, color), b.Bytes())
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
	sampleTable().print(t, p)
	require.NoError(t, p.Print(nil, sampleDetails))
	s.Problem(sampleProblem())
	testkit.RequireGolden(t, "golden/pipe.txt", b.Bytes())
}

func TestNarrowTerminals(t *testing.T) {
	t.Parallel()
	sample := sampleTable()
	for width := 1; width < 130; width++ {
		for _, utf8 := range []bool{true, false} {
			on := ofWidth(width)
			on.UTF8 = utf8
			out := sample.drawn(t, on)
			require.Equal(t, len(sample.rows)+1, strings.Count(out, "\n"))
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				require.LessOrEqual(t, ansi.StringWidth(line), width, "%q", line)
				require.Equal(t, strings.TrimRight(line, " "), line)
			}
		}
	}
}
