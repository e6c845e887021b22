package ui

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	yaml11 "gopkg.in/yaml.v2"
)

// FuzzFit checks that any text fitted to a width is harmless and has that width.
func FuzzFit(f *testing.F) {
	f.Add("0\xcc\u0301", byte(':'), bool(true))
	f.Add("plain text", byte('\x05'), bool(true))
	f.Add("a b  c", byte('\x03'), bool(true))
	f.Add("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7x", byte('\x04'), bool(true))
	f.Add("\x1b[31mred\x1b[0m", byte('\x09'), bool(false))
	f.Add("\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xa9", byte('\x03'), bool(true))
	f.Fuzz(func(t *testing.T, text string, columns uint8, utf8 bool) {
		s := &Streams{OutTTY: true, UTF8: utf8}
		width := int(columns)
		fitted := s.Fit(text, width)
		require.Equal(t, Sanitize(fitted), fitted)
		require.Equal(t, width, CellWidth(fitted), "%q", fitted)
		require.LessOrEqual(t, ansi.StringWidth(fitted), width, "%q is too wide where clusters are measured", fitted)
		require.True(t, utf8 || isPlain(fitted), "%q", fitted)
		require.Equal(t, fitted, s.Fit(fitted, width), "idempotent")
		lines := s.Wrap(text, width, 3)
		require.LessOrEqual(t, len(lines), 3)
		for _, line := range lines {
			require.Equal(t, Sanitize(line), line)
			require.LessOrEqual(t, max(CellWidth(line), ansi.StringWidth(line)), width, "%q", line)
		}
		if visible := s.outStyle().visible(text); len(text) < width && CellWidth(visible) <= width {
			require.Equal(t, strings.TrimRight(visible, " "), strings.TrimRight(fitted, " "), "a text that fits is not cut")
		}
	})
}

// FuzzTable checks that the lines of a table fit the terminal, and that no cell breaks a line or a column.
func FuzzTable(f *testing.F) {
	f.Add("e\xcc\x81\xcc\x81", "\xcc\x81", "x", byte('\x14'))
	f.Add("", "", "", byte('\x00'))
	f.Add("\x1b[2J", "\xc2\x9b31m", "\n\r\t", byte('\x1e'))
	f.Add("ID", "approved", "12.50", byte('\x50'))
	f.Add("\xe4\xb8\x96\xe7\x95\x8c", "\xe4\xb8\x96", "\xe7\x95\x8c", byte('\x0c'))
	f.Fuzz(func(t *testing.T, a, b, c string, columns uint8) {
		width := max(int(columns), 12)
		list := table{
			[]Column{{Header: a}, {Header: "STATUS", Keep: true}, {Header: c, Right: true}, {Header: "D"}},
			[][]Cell{{Text(a), Text(b), Text(c), Text(a + b)}, {Text(c), Text(a)}},
		}
		text := list.drawn(t, ofWidth(width))
		require.Equal(t, SanitizeLines(text), text)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		require.Len(t, lines, 3)
		for _, line := range lines {
			require.LessOrEqual(t, max(CellWidth(line), ansi.StringWidth(line)), width, "%q", line)
		}
		plain := list.drawn(t, &Streams{})
		require.Equal(t, 3, strings.Count(plain, "\n"))
		require.Equal(t, 9, strings.Count(plain, "\t"))
		details := Details{{a, []Cell{Text("x" + b)}}, {"L", []Cell{Text("y" + c)}}}
		require.Equal(t, 2, bytes.Count(surface{tty: true}.details(details), []byte("\n")))
	})
}

// FuzzForms checks that JSON and YAML keep every value and are harmless.
func FuzzForms(f *testing.F) {
	f.Add("\xf3\xa0\x81\x81", "\xf0\x9f\x98\x80")
	f.Add("\xef\xbb\xbf", "\xe2\x80\xa8\xe2\x80\xa9")
	f.Add("a: b", "- c # d")
	for _, text := range []string{
		"yes", "NO", "on", "Off", "y", "~", "null", "0o17", "017", "0x1f", "0b1", "1_000", "1:30", "12:30:45.5", "1e3", ".5",
		"+.inf", ".NaN", "=", "<<", "2026-1-1", "2026-01-01 10:00:00 +1", "!x", "&x", "*x", "%x", "@x", "`x", "? x", "- ",
		"|", ">", "#", " x", "x ", "",
	} {
		f.Add(text, text)
	}
	f.Add("2026-01-01", "12:30:00")
	f.Add("\x1b", "\xc2\x9b\xc2\x85\xe2\x80\xae")
	f.Add("a\nb", "a\r\n  b\n\n")
	f.Fuzz(func(t *testing.T, key, text string) {
		value := map[string]any{key: text, "list": []string{text, key}}
		var in map[string]any
		compact, err := compactJSON(value)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(compact, &in))
		require.Equal(t, Sanitize(string(compact)), string(compact))
		var plain bytes.Buffer
		require.NoError(t, json.NewEncoder(&plain).Encode(value))
		var expected map[string]any
		require.NoError(t, json.Unmarshal(plain.Bytes(), &expected))
		require.Equal(t, expected, in)

		indented, err := indentedJSON(value, "")
		require.NoError(t, err)
		require.Equal(t, SanitizeLines(string(indented)), string(indented))
		require.JSONEq(t, string(compact), string(indented))

		document, err := yamlDocument(value)
		require.NoError(t, err)
		require.Equal(t, SanitizeLines(string(document)), string(document))
		var out map[string]any
		require.NoError(t, yaml.Unmarshal(document, &out), "%q", document)
		require.Equal(t, expected, out, "%q", document)
		var older map[string]any // YAML 1.1 reads more plain texts as numbers and booleans
		require.NoError(t, yaml11.Unmarshal(document, &older), "%q", document)
		require.Equal(t, expected, older, "%q", document)
	})
}

// FuzzJQ checks that an expression is compiled or refused with a JQError, and that --output takes only its formats.
func FuzzJQ(f *testing.F) {
	for _, seed := range []string{
		"jsOn", ".a |", ".data[].id", "json", "\"\\(1 + )\"", ".\xc3\xa9 |", "foo(1)", "yaml",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		program, err := compileJQ(expression)
		var wrong *JQError
		if err != nil {
			require.ErrorAs(t, err, &wrong)
			require.Nil(t, program)
		}
		format, err := ParseFormat(expression)
		if err == nil && expression != "" {
			require.True(t, strings.EqualFold(expression, string(format)))
			require.Contains(t, Formats(), format)
		}
	})
}

// FuzzProblem checks that the text of a problem is harmless, indented below its title and bounded.
func FuzzProblem(f *testing.F) {
	f.Add("", "", "", "", uint16(0))
	f.Add("\x1b[2J", "\xc2\x9b31m\r", "\xe2\x80\xae", "\n\nFORGED", uint16(2))
	f.Add("T", "line\n", "a", "b", uint16(5000))
	f.Add("\n", "\n\n\n", "\n", "\n", uint16(9))
	f.Add("Refused.", "It is so.", "amount", "must be more", uint16(1))
	f.Add(strings.Repeat("x", 9000), strings.Repeat("y", 9000), strings.Repeat("z", 5000), "w", uint16(3))
	f.Fuzz(func(t *testing.T, title, detail, name, message string, times uint16) {
		many := int(times)
		p := ProblemView{
			Title: title, Status: 400, Detail: strings.Repeat(detail, many), RequestID: name, TraceID: title,
			Next: []string{"payctl"},
		}
		for range many {
			p.Fields = append(p.Fields, ProblemField{Name: name, Messages: []string{message, message}})
		}
		p.Fields = append(p.Fields, ProblemField{Name: name, Messages: make([]string, many)}, ProblemField{Name: message})
		var written bytes.Buffer
		(&Streams{Err: &written, ErrTTY: times%2 == 0, UTF8: true}).Problem(p)
		text := written.String()
		require.Equal(t, SanitizeLines(text), text)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		require.Less(t, len(lines), 140)
		require.Less(t, len(text), 8<<20)
		for _, line := range lines[1 : len(lines)-2] {
			require.True(t, strings.HasPrefix(line, "  "), "%q", line)
		}
		require.Equal(t, []string{"Next:", "  payctl"}, lines[len(lines)-2:])
	})
}
