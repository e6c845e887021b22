package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// A session is a machine with terminals, on which the program runs.
type session struct {
	machine

	columns int // of the terminals; 0 means 80
}

func newSession(t *testing.T, url string) *session {
	t.Helper()
	return &session{machine: newMachine(t, url)}
}

// An act is what a test does at the terminal of a program. nil means nothing.
type act func(t *testkit.Terminal, program *os.Process)

// terminal runs the program at a terminal, and calls act when the terminal shows a text. It returns everything that was
// written to the terminal, and the exit code.
func (s *session) terminal(env []string, text string, act act, args ...string) (string, int) {
	s.t.Helper()
	return s.steps(s.with(env...).command(args...), step{text, 0, act})
}

// A step calls act when the terminal has shown a text that many times. 0 means once.
type step struct {
	text  string
	times int
	act   act
}

// steps runs the program at a terminal, one step after the other. When the program ends, it skips the other steps.
func (s *session) steps(cmd *exec.Cmd, steps ...step) (string, int) {
	s.t.Helper()
	shown := testkit.OpenTerminal(s.t, cmp.Or(s.columns, 80), 24)
	shown.Start(cmd)
	for _, step := range steps {
		if !shown.Await(step.text, func() bool { return strings.Count(shown.Wrote(), step.text) >= max(step.times, 1) }) {
			break
		}
		if step.act != nil {
			step.act(shown, cmd.Process)
		}
	}
	code := shown.Finish(cmd)
	return shown.Wrote(), code
}

const (
	entered = "\x1b[?1049h" // the alternate screen
	left    = "\x1b[?1049l"
)

func press(keys string) act {
	return func(t *testkit.Terminal, _ *os.Process) { t.Press(keys) }
}

// interrupted and terminated are interrupt and terminate as acts.
func interrupted(_ *testkit.Terminal, program *os.Process) { _ = interrupt(program) }

func terminated(_ *testkit.Terminal, program *os.Process) { _ = terminate(program) }

func TestLiveViewAtATerminal(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account, stuck := s.createAccount("ada@example.com"), s.createAccount("sam+kyc-stuck@example.com")

	all := []string{"kyc", "watch", "--all", "--until", "approved"} // one of them is stuck
	out, code := s.terminal(nil, "", nil, "kyc", "watch", account, "--timeout", "20s")
	require.Zero(t, code)
	require.NotContains(t, out, entered, "a single account is a line")
	require.Regexp(t, account+" .*approved", out)

	out, code = s.terminal(nil, "approved", press("q"), "kyc", "watch", "--all")
	require.Zero(t, code, "there was nothing to wait for")
	require.Contains(t, out, entered)

	_, code = s.terminal([]string{"PAYCTL_BASE_URL=" + nowhere}, "quit", press("q"), "kyc", "watch", "--all")
	require.Equal(t, 130, code, "the list could not be read")

	for name, end := range map[string]act{"q": press("q"), "Ctrl-C": press("\x03"), "interrupt": interrupted} {
		out, code = s.terminal(nil, "quit", end, append(all, "--timeout", "20s")...)
		require.Equal(t, 130, code, "%s: %q", name, out)
		require.Contains(t, out, left, name)
	}
	out, code = s.terminal(nil, "quit", terminated, all...)
	require.Equal(t, 143, code)
	require.Contains(t, out, left)

	out, code = s.terminal(nil, "quit", nil, append(all, "--timeout", "1s")...)
	require.Equal(t, 12, code)
	require.Contains(t, out[strings.LastIndex(out, left):], stuck+" is still pending")

	if runtime.GOOS == "windows" {
		return // the commands below need sh
	}

	// After the view has closed, payctl names the program that it waits for, or the change that it did not handle.
	exec := []string{"--exec", "sh", "--exec-initial", "--", "-c"}
	out, code = s.terminal(nil, "pending", press("q"), slices.Concat(all, exec, []string{"sleep 2; exit 5"})...)
	require.Equal(t, 130, code)
	require.Regexp(t, "sh of acc_|was not run for the last 1 change", out[strings.LastIndex(out, left):])

	approved := append(all, "--status", "approved")
	out, code = s.terminal(nil, "", nil, slices.Concat(approved, exec, []string{`echo "wr""itten"; exit 4`})...)
	require.Equal(t, 1, code)
	require.NotContains(t, out[:strings.LastIndex(out, left)], "\nwritten", "the program does not write into the view")
	require.Contains(t, out[strings.LastIndex(out, left):], "1 of 1 run of")
}

// TestNamesInTheLiveView creates an account while the view is open. The view shows it with its name, which events do
// not have. Names are masked unless --show-pii is given, but filters find them.
func TestNamesInTheLiveView(t *testing.T) {
	t.Parallel()
	watch := []string{"kyc", "watch", "--all", "--timeout", "30s"}
	s := newSession(t, serve(t))
	account := ""
	create := func(*testkit.Terminal, *os.Process) { account = s.createAccount("n+kyc-stuck@example.com") }
	out, code := s.steps(s.command(watch...), step{"There are no accounts yet", 0, press("/country:gb n+kyc\r")},
		step{"0 of 0", 0, create}, step{"A***", 0, press("q")})
	require.Zero(t, code, "%q", out)
	require.Contains(t, out[:strings.LastIndex(out, left)], account)
	require.NotContains(t, out, "Ada")
	require.Contains(t, out, account+" pending", "the newest change is named")
	require.Contains(t, out[strings.LastIndex(out, left):], "1 account: provider 1 pending.")

	out, code = s.steps(s.command(watch...),
		step{"A***", 0, press("P")}, step{"Personal data is shown for ", 0, press("q")})
	require.Zero(t, code, "%q", out)

	out, code = s.terminal(nil, "Ada", press("q"), append(watch, "--show-pii")...)
	require.Zero(t, code, "%q", out)
}

// The live view shows all accounts at once. The reasons, which the list does not have, follow in the background.
func TestTheListIsShownBeforeTheReasons(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	var rows strings.Builder
	rows.WriteString("type,firstName,lastName,email,country,externalId\n")
	for i := range 120 {
		fmt.Fprintf(&rows, "individual,Ada,Lovelace,ada%d+kyc-rejected@example.com,GB,%d\n", i, i)
	}
	imported := s.command("accounts", "import", "-", "--wait=rejected")
	imported.Stdin = strings.NewReader(rows.String())
	output, err := imported.CombinedOutput()
	require.NoError(t, err, "%s", output)

	require.NoError(t, s.command("sandbox", "faults", "getKycStatus=delay:2s").Run())
	screen := testkit.OpenTerminal(t, 110, 24)
	cmd := s.command("kyc", "watch", "--all")
	screen.Start(cmd)
	screen.WaitForText("3 failed 120")
	require.NotContains(t, screen.Text(), "The identity d")
	require.NoError(t, s.command("sandbox", "faults", "--clear").Run())
	screen.WaitFor("reasons", func() bool { return strings.Count(screen.Text(), "The identity d") >= 5 })
	screen.Press("q")
	require.Zero(t, screen.Finish(cmd))
}
