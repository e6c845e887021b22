//go:build !windows

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// On each kind and size of terminal the live view shows its rows and survives constant resizing. However it ends, it
// restores the terminal: no alternate screen, no mouse modes, a visible cursor.
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
				return strings.Contains(screen, account[len(account)-6:]) &&
					strings.HasPrefix(lines[0], "Identity checks: 1 account") && strings.Contains(lines[len(lines)-1], "q quit")
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

// A terminal that shows nothing for a while, such as after Ctrl-S or behind a slow line, delays only the view. The
// missed changes are shown in one frame, and the view can be ended.
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

// Ctrl-Z at the prompt for a secret restores the terminal for the shell. fg asks again and keeps nothing of the input.
// The same holds for the live view.
func TestSuspendedQuestion(t *testing.T) {
	t.Parallel()
	shell := startShell(t, serve(t))
	shell.Press(`(PAYCTL_CLIENT_SECRET= exec -a payctl "$BIN" auth login --client-id sandbox)` + "\n")
	shell.until("Client secret: ")
	shell.Press("another\x1a")
	shell.until("Stopped")
	shell.Press("fg\n")
	shell.until("Client secret: ")
	shell.Press("  sandbox-secret \r")
	shell.until("Logged in to")
	shell.Press(`(exec -a payctl "$BIN" kyc watch --all)` + "\n")
	shell.until("q quit")
	shell.WaitForText("There are no accounts yet.") // leaving earlier is an interruption
	shell.Press("\x1a")
	shell.until("Stopped")
	shell.Press("fg\n")
	shell.until("q quit")
	shell.Press("q")
	shell.until("ready> ")
	shell.exit()
}

// A shell has job control and its own terminal. The variable BIN names the program.
type shell struct {
	*testkit.Terminal
	t    *testing.T
	cmd  *exec.Cmd
	seen int // bytes of output that until has passed
}

func startShell(t *testing.T, url string) *shell {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this test needs bash for job control")
	}
	s := &shell{Terminal: testkit.OpenTerminal(t, 80, 24), t: t}
	s.cmd = exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-i")
	s.cmd.Env = append(newSession(t, url).env, "PS1=ready> ", "BIN="+os.Args[0])
	s.Start(s.cmd)
	s.until("ready> ")
	return s
}

// until waits for a text after the previous one, and returns the output between them.
func (s *shell) until(text string) (before string) {
	s.t.Helper()
	s.WaitFor(text, func() bool { return strings.Contains(s.Wrote()[s.seen:], text) })
	before, _, _ = strings.Cut(s.Wrote()[s.seen:], text)
	s.seen += len(before) + len(text)
	return before
}

func (s *shell) exit() {
	s.t.Helper()
	s.Press("exit\n")
	require.Zero(s.t, s.Finish(s.cmd))
}

// Deadlines and ages follow the service's clock, even if a sandbox clock was moved or moves while a view is open.
func TestDeadlinesAreByTheServicesClock(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.createAccount("rob+kyc-resubmission@example.com")
	s.must("kyc", "watch", account, "--until", "resubmission_required")
	shown, cmd := testkit.OpenTerminal(t, 120, 24), s.command("kyc", "watch", "--all")
	shown.Start(cmd)
	shown.WaitForText("13d left")
	s.must("sandbox", "clock", "+13d")
	s.createAccount("b@example.com") // tells the view the new time
	shown.WaitForText("23h left")
	shown.Press("q")
	require.Zero(t, shown.Finish(cmd))

	shown, cmd = testkit.OpenTerminal(t, 120, 24), s.command("kyc", "watch", "--all")
	shown.Start(cmd)
	shown.WaitFor("the age", func() bool { return regexp.MustCompile(`23h left .* 13d00h`).MatchString(shown.Text()) })
	shown.Press("q")
	require.Zero(t, shown.Finish(cmd))
}
