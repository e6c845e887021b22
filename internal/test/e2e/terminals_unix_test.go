//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// On each kind and size of terminal the live view shows its rows, survives that its size changes all the time, and
// leaves the terminal as it was: without the alternate screen and the modes of the mouse, with its cursor, in every way
// to end it.
func TestTerminals(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.createAccount("ada+kyc-stuck@example.com")
	signal := func(signal os.Signal) func(*testkit.Terminal, *exec.Cmd) {
		return func(_ *testkit.Terminal, cmd *exec.Cmd) { _ = cmd.Process.Signal(signal) }
	}
	keys := func(keys string) func(*testkit.Terminal, *exec.Cmd) {
		return func(s *testkit.Terminal, _ *exec.Cmd) { s.Press(keys) }
	}
	for i, c := range []struct {
		env           string
		columns, rows int
		end           func(*testkit.Terminal, *exec.Cmd)
		code          int
	}{
		{"TERM=xterm-256color", 80, 24, keys("q"), 0},
		{"TERM=xterm-256color", 60, 10, keys("\x03"), 130},
		{"TERM=xterm-256color", 300, 80, signal(syscall.SIGTERM), 143},
		{"TERM=xterm-256color", 80, 24, signal(syscall.SIGHUP), 129},
		{"TERM=xterm-16color", 80, 24, signal(os.Interrupt), 130},
		{"TERM=xterm-kitty", 120, 40, signal(syscall.SIGHUP), 129},
		{"TERM=linux", 80, 24, keys("q"), 0},
		{"TERM=vt100", 80, 24, keys("\x03"), 130},
		{"TERM=screen", 80, 24, signal(syscall.SIGTERM), 143},
		{"TERM=something-else", 80, 24, keys("q"), 0},
		{"NO_COLOR=1", 60, 10, keys("q"), 0},
		{"LANG=C", 300, 80, keys("q"), 0},
		{"LANG=C", 60, 10, signal(syscall.SIGTERM), 143},
	} {
		if testing.Short() && i%2 != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s %dx%d %d", c.env, c.columns, c.rows, c.code), func(t *testing.T) {
			t.Parallel()
			shown := testkit.OpenTerminal(t, c.columns, c.rows)
			cmd := s.with([]string{c.env}...).command("kyc", "watch", "--all")
			shown.Start(cmd)
			shows := func(lines []string) bool {
				screen := strings.Join(lines, "\n")
				return strings.Contains(screen, account[len(account)-6:]) && strings.HasPrefix(lines[0], "Identity checks: 1 account") &&
					strings.Contains(lines[len(lines)-1], "q quit")
			}
			shown.WaitFor("the list", func() bool { return shows(strings.Split(shown.Text(), "\n")) })
			for i := range 50 {
				shown.Resize(c.columns-i%7, c.rows-i%4)
				_ = cmd.Process.Signal(syscall.SIGWINCH)
			}
			shown.Resize(c.columns-1, c.rows-1)
			shown.WaitFor("the list in its new size", func() bool { return shows(strings.Split(shown.Text(), "\n")) })
			if c.env == "NO_COLOR=1" {
				require.NotRegexp(t, `\x1b\[[0-9;]*[34][0-9]m`, shown.Wrote())
			}
			if c.env == "LANG=C" {
				require.NotRegexp(t, `[^\x00-\x7f]`, shown.Wrote())
			}
			c.end(shown, cmd)
			require.Equal(t, c.code, shown.Finish(cmd), shown.Text())
			require.Empty(t, testkit.LeftOver(shown.Wrote()), "%q", shown.Wrote())
		})
	}
}

// A terminal that shows nothing for a while, such as one behind a slow line or after Ctrl-S, holds the view up and
// nothing else: what was missed is shown in one frame, and the view can be ended.
func TestTerminalThatStandsStill(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	shown := testkit.OpenTerminal(t, 80, 24)
	cmd := s.command("kyc", "watch", "--all")
	shown.Start(cmd)
	shown.WaitForText("There are no accounts yet")
	resume := shown.Hold()
	for i := range 20 {
		s.createAccount(fmt.Sprintf("ada%d+kyc-stuck@example.com", i))
	}
	before := len(shown.Wrote())
	resume()
	shown.WaitForText("Identity checks: 20 accounts")
	require.Less(t, len(shown.Wrote())-before, 100<<10)
	shown.Press("q")
	require.Zero(t, shown.Finish(cmd))
	require.Empty(t, testkit.LeftOver(shown.Wrote()))
}

// Ctrl-Z at the question for a secret gives the shell a terminal as it was before, and fg asks again: nothing is kept. In
// the live view it does the same.
func TestSuspendedQuestion(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("a shell with job control is needed")
	}
	s := newSession(t, serve(t))
	shown := testkit.OpenTerminal(t, 80, 24)
	shell := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-i")
	shell.Env = append(s.env, "PS1=ready> ", "BIN="+os.Args[0])
	shown.Start(shell)
	shown.WaitForText("ready>")
	shown.Press(`(PAYCTL_CLIENT_SECRET= exec -a payctl "$BIN" auth login --client-id sandbox)` + "\n")
	shown.WaitForText("Client secret:")
	shown.Press("another\x1a")
	shown.WaitFor("the shell", func() bool { return strings.Contains(shown.Wrote(), "Stopped") })
	shown.Press("fg\n")
	shown.WaitFor("the question", func() bool { return strings.Count(shown.Wrote(), "Client secret: ") == 2 })
	shown.Press("  sandbox-secret \r")
	shown.WaitForText("Logged in to")
	shown.Press(`(exec -a payctl "$BIN" kyc watch --all)` + "\n")
	shown.WaitForText("q quit")
	shown.Press("\x1a")
	shown.WaitFor("the shell", func() bool { return strings.Count(shown.Wrote(), "Stopped") == 2 })
	shown.Press("fg\n")
	shown.WaitFor("the view", func() bool { return strings.Count(shown.Wrote(), "q quit") > 1 })
	shown.Press("q")
	shown.WaitForText("ready>")
	shown.Press("exit\n")
	require.Zero(t, shown.Finish(shell))
}
