package ui

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/rows"
)

func TestCellsOfCSV(t *testing.T) {
	t.Parallel()
	columns := []Column{{Header: "A"}, {Header: "B"}}
	for _, c := range []struct {
		rows [][]Cell
		want string
	}{
		{[][]Cell{{Optional(""), Text("-")}, {Text("b"), Optional("-")}}, ",-\nb,-\n"}, // absent, and a dash
		{[][]Cell{{Text("acc_1"), Text("-5.00")}}, "acc_1,-5.00\n"},
		{[][]Cell{{Text("-5"), Text("2+3")}}, "'-5,2+3\n"}, // else the line may be read as one cell, -5,2+3
		{[][]Cell{{Text("-5.00")}}, "-5.00\n"},
	} {
		b, err := csvRecords(columns[:len(c.rows[0])], c.rows, false)
		require.NoError(t, err)
		require.Equal(t, c.want, string(b))
	}
}

// TestCSVForAnySpreadsheet splits a CSV as spreadsheets of any country may, with quotes as quotes and as text. No cell
// is a formula.
func TestCSVForAnySpreadsheet(t *testing.T) {
	t.Parallel()
	cell := rapid.OneOf(
		rapid.StringOf(rapid.SampledFrom([]rune("=+-@＝＋－＠,;|\t\r\n \u00a0\"'15.a"))),
		rapid.SampledFrom([]string{"-5.00", "+7", "-", "sep=;", "ada;=HYPERLINK(\"x\")", "2+cmd|' /C calc'!A0"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		columns := make([]Column, rapid.IntRange(1, 4).Draw(t, "columns"))
		for i := range columns {
			columns[i].Name = cell.Draw(t, "name")
		}
		lines := make([][]Cell, rapid.IntRange(0, 3).Draw(t, "lines"))
		for i := range lines {
			for range columns {
				lines[i] = append(lines[i], Text(cell.Draw(t, "cell")))
			}
		}
		b, err := csvRecords(columns, lines, true)
		require.NoError(t, err)
		for _, separator := range ",;|\t\r\n" {
			for _, quotes := range []bool{true, false} {
				for _, part := range divide(string(b), separator, quotes) {
					requireNoFormula(t, part, "separator %q, quotes %t: %s", separator, quotes, b)
				}
			}
		}
	})
}

// divide splits a text into cells. With quotes, separators and line breaks inside a quoted cell are part of it.
func divide(text string, separator rune, quotes bool) (cells []string) {
	var cell strings.Builder
	quoted := false
	for _, r := range text {
		switch {
		case !quoted && (r == separator || r == '\n'):
			cells = append(cells, cell.String())
			cell.Reset()
			continue
		case quotes && r == '"' && quoted:
			quoted = false
		case quotes && r == '"' && strings.Trim(cell.String(), "\"") == "":
			quoted = true
		}
		cell.WriteRune(r)
	}
	return append(cells, cell.String())
}

// requireNoFormula requires that a spreadsheet that removes quotes and spaces sees a number, a dash or text.
func requireNoFormula(t require.TestingT, part, format string, args ...any) {
	part = strings.TrimLeft(part, "\" \u00a0")
	require.Falsef(t, strings.HasPrefix(part, "sep="), format, args...)
	if first, _ := utf8.DecodeRuneInString(part); strings.ContainsRune("=+-@＝＋－＠", first) {
		require.Regexpf(t, `^(-|[+-][0-9]+(\.[0-9]+)?)$`, part, format, args...)
	}
}

// A cell is read back as it was written, except for characters that are unsafe on a terminal.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"=1+1", "-12.50", "+1", "@x", "＝1", "a,\"b\"\n", "\xff=1", "'=1", "a;=1", "a; \"@x", "-", "\n=1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		b, err := csvRecords([]Column{{Header: "H"}, {Header: "I"}}, [][]Cell{{Text(in), Text(in)}}, true)
		require.NoError(t, err)
		records, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
		require.NoError(t, err)
		want := Sanitize(in)
		require.Equal(t, [][]string{{"h", "i"}, {rows.DefuseFirst(want), rows.Defuse(want)}}, records)
		require.Equal(t, want, rows.Undefuse(records[1][0]))
		require.Equal(t, want, rows.Undefuse(records[1][1]))
	})
}
