package ui

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// FuzzFit holds what is fitted to a width to be harmless and to have it, whatever the text is made of.
func FuzzFit(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, columns uint8, utf8 bool) {
		s := &Streams{OutTTY: true, UTF8: utf8}
		width := int(columns)
		fitted := s.Fit(text, width)
		require.Equal(t, Sanitize(fitted), fitted)
		require.Equal(t, width, CellWidth(fitted), "%q", fitted)
		require.LessOrEqual(t, ansi.StringWidth(fitted), width, "%q is not wider where clusters are measured", fitted)
		require.True(t, utf8 || isPlain(fitted), "%q", fitted)
		require.Equal(t, fitted, s.Fit(fitted, width), "idempotent")
		lines := s.Wrap(text, width, 3)
		require.LessOrEqual(t, len(lines), 3)
		for _, line := range lines {
			require.Equal(t, Sanitize(line), line)
			require.LessOrEqual(t, max(CellWidth(line), ansi.StringWidth(line)), width, "%q", line)
		}
		if visible := s.outStyle().visible(text); len(text) < width && CellWidth(visible) <= width {
			require.Equal(t, strings.TrimRight(visible, " "), strings.TrimRight(fitted, " "), "nothing is cut that has room")
		}
	})
}

// FuzzTable holds the lines of a table to the width of the terminal, and its cells to their columns.
func FuzzTable(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b, c string, columns uint8) {
		on := surface{tty: true, style: style{utf8: true}, width: max(int(columns), 12)}
		table := Table{
			Columns: []Column{{Header: a}, {Header: "STATUS", Keep: true}, {Header: c, Right: true}, {Header: "D"}},
			Rows:    [][]Cell{{Text(a), Text(b), Text(c), Text(a + b)}, {Text(c), Text(a)}},
		}
		drawn := string(on.view(table))
		require.Equal(t, SanitizeLines(drawn), drawn)
		lines := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
		require.Len(t, lines, 3)
		for _, line := range lines {
			require.LessOrEqual(t, max(CellWidth(line), ansi.StringWidth(line)), on.width, "%q", line)
		}
		plain := string(surface{}.view(table))
		require.Equal(t, 3, strings.Count(plain, "\n"))
		require.Equal(t, 9, strings.Count(plain, "\t"))
		require.Equal(t, 2, strings.Count(string(surface{tty: true}.view(Details{{a, []Cell{Text(b)}}, {"L", []Cell{Text(c)}}})), "\n"))
	})
}

// FuzzForms holds JSON and YAML to give back what went in, and to be harmless.
func FuzzForms(f *testing.F) {
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
	})
}

// FuzzJQ holds an expression to be compiled, or refused at a place inside it; and --output to its words.
func FuzzJQ(f *testing.F) {
	f.Fuzz(func(t *testing.T, expression string) {
		program, err := compileJQ(expression)
		var wrong *JQError
		if err != nil {
			require.ErrorAs(t, err, &wrong)
			require.Nil(t, program)
			require.GreaterOrEqual(t, wrong.Column, 0)
			require.LessOrEqual(t, wrong.Column, len(expression)+1)
		}
		format, err := ParseFormat(expression)
		if err == nil && expression != "" {
			require.True(t, strings.EqualFold(expression, string(format)))
			require.Contains(t, Formats(), format)
		}
	})
}
