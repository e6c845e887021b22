//go:build !windows

package e2e

import (
	"encoding/base64"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// A liveScreen is a terminal on which the program runs.
type liveScreen struct {
	*testkit.Terminal
	t   *testing.T
	cmd *exec.Cmd
}

// open runs the program on a screen of a size.
func (s *session) open(columns, rows int, env []string, args ...string) *liveScreen {
	s.t.Helper()
	l := &liveScreen{Terminal: testkit.OpenTerminal(s.t, columns, rows), t: s.t, cmd: s.with(env...).command(args...)}
	l.Start(l.cmd)
	s.t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // it may have ended
	return l
}

// see waits until the screen shows a text that matches a pattern.
func (l *liveScreen) see(pattern string) {
	l.t.Helper()
	wanted := regexp.MustCompile(pattern)
	l.WaitFor(pattern, func() bool { return wanted.MatchString(l.Text()) })
}

// gone waits until the screen no longer shows a text.
func (l *liveScreen) gone(text string) {
	l.t.Helper()
	l.WaitFor("the end of "+text, func() bool { return !strings.Contains(l.Text(), text) })
}

// clipboard waits for the n-th text that was copied.
func (l *liveScreen) clipboard(n int) string {
	l.t.Helper()
	copied := regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]*)[\x07\x1b]`)
	var all [][]string
	l.WaitFor("a text in the clipboard", func() bool {
		all = copied.FindAllStringSubmatch(l.Wrote(), -1)
		return len(all) >= n
	})
	text, err := base64.StdEncoding.DecodeString(all[n-1][1])
	require.NoError(l.t, err)
	return string(text)
}

// quit closes the view, and returns the exit code.
func (l *liveScreen) quit() int {
	l.t.Helper()
	l.Press("q")
	return l.Finish(l.cmd)
}

const (
	esc     = "\x1b"
	selects = "▸.*" // before the identifier of the selected row
)
