//go:build !windows

package terminal_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	xterm "golang.org/x/term"

	"github.com/payctl/payctl/internal/test/terminal"
)

// What is written as one synchronized output is shown at once, and a character that comes in parts is whole.
func TestOutputIsShown(t *testing.T) {
	t.Parallel()
	s := terminal.Open(t, 20, 3)
	_, err := xterm.MakeRaw(int(s.TTY.Fd()))
	require.NoError(t, err)
	var screens []string
	s.OnChange = func(screen string) { screens = append(screens, terminal.Lines(screen)[0]) }
	for _, part := range []string{"ab\x1b[?20", "26hc", "d\xe5", "\xb1", "\xb1\x1b[?2026", "le\xe5\xb1", "\xb1\x1b[?2026$p"} {
		before := len(s.Wrote())
		_, err := s.TTY.WriteString(part)
		require.NoError(t, err)
		s.WaitFor(part, func() bool { return len(s.Wrote()) == before+len(part) })
	}
	s.WaitForText("abcd山e山")
	require.Equal(t, []string{"ab", "abcd山", "abcd山e", "abcd山e山"}, screens)
	answer := make([]byte, 20)
	n, err := s.TTY.Read(answer)
	require.NoError(t, err)
	require.Equal(t, "\x1b[?2026;2$y", string(answer[:n]))
}

func TestLeftOver(t *testing.T) {
	t.Parallel()
	require.Empty(t, terminal.LeftOver("\x1b[?1049;1002h\x1b[?7h\x1b[?25l\x1b[>1u\x1b[1mx\x1b[0m\x1b[<u\x1b[?25h\x1b[?1002;1049l\r\n"))
	require.ElementsMatch(t, []string{"mode 1006", "not mode 25", "the reports of keys", "a colour"},
		terminal.LeftOver("\x1b[?1006h\x1b[?25l\x1b[>1u\x1b[31mx"))
}

func TestProgramInATerminal(t *testing.T) {
	t.Parallel()
	s := terminal.Open(t, 20, 3)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "read x; echo got $x; exit 7")
	s.Start(cmd)
	s.Press("it\n")
	s.WaitForText("got it")
	require.Equal(t, 7, s.Finish(cmd))
}
