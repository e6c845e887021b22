//go:build !windows

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFileAtATerminal answers the question that stands before a batch, and presses Ctrl-C.
func TestAFileAtATerminal(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	s := &session{t: t, env: p.env}
	path, report := p.file(fileRows), filepath.Join(t.TempDir(), "report.csv")
	line := []string{"transfer", "batch", path, "--concurrency", "2", "--report", report}
	paid := func() string { return p.must("transfer", "list", "--all", "--jq", "length") }

	for keys, code := range map[string]int{"\r": 1, "n\r": 1, "x\r": 1, "\x04": 1, "\x03": 130} {
		out, got := s.terminal(nil, "[y/N]", press(keys), line...)
		require.Equal(t, code, got, "%q: %s", keys, out)
		require.Contains(t, out, "300.00 USDC in 60 rows")
		require.Contains(t, out, "L (N)", "the contact is shown by its label")
		require.Equal(t, "0", paid(), "the default is no")
	}

	p.must("sandbox", "faults", "add", "createAutoTransfer=delay:300ms")
	out, code := s.terminal(nil, "[y/N]", func(keyboard *os.File, _ *os.Process) {
		_, _ = keyboard.WriteString("y\r")
		require.Eventually(t, func() bool { return paid() != "0" }, longestWait, shortWait)
		_, _ = keyboard.WriteString("\x03")
	}, line...)
	require.Equal(t, 130, code, out)
	require.Contains(t, out, "Finishing the rows that are being sent")
	require.Contains(t, out, "0 unknown", "what was under way was finished")
	require.Contains(t, out, " left", "how long it takes was shown")
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Equal(t, 1+fileRows, strings.Count(string(text), "\n"))

	p.must("sandbox", "faults", "clear")
	out, code = s.terminal(nil, "[y/N]", press("y\r"), line...)
	require.Zero(t, code, out)
	_, ids, code := p.batch(t.Context(), path, patient...)
	require.Zero(t, code)
	p.once(fileRows, ids)
}
