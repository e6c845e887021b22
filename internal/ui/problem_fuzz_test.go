package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzProblem holds what is shown of a refusal to be harmless, indented below its title, and bounded.
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
