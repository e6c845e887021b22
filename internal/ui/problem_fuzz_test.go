package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzProblem holds what is shown of a refusal to be harmless, indented below its title, and bounded, however much of it there
// is.
func FuzzProblem(f *testing.F) {
	f.Fuzz(func(t *testing.T, title, detail, name, message string, times uint16) {
		many := int(times)
		p := ProblemView{Title: title, Status: 400, Detail: strings.Repeat(detail, many), RequestID: name, TraceID: title, Next: []string{"payctl"}}
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
