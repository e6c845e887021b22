package e2e

import (
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// interruptedVariable makes this test binary the command of the test below.
const interruptedVariable = "E2E_INTERRUPTED"

// TestInterruptedCommand is a command that handles Ctrl-C itself. It exits with its own code at the second one.
func TestInterruptedCommand(t *testing.T) {
	if os.Getenv(interruptedVariable) == "" {
		t.Skip("runs as a child process")
	}
	events := make(chan os.Signal, 2)
	signal.Notify(events, os.Interrupt)
	<-time.After(time.Second) // payctl leaves Ctrl-C to its command a moment after its start
	fmt.Fprintf(os.Stdout, "press one %d.\n", os.Getpid())
	<-events
	fmt.Fprintln(os.Stdout, "press two")
	<-events
	os.Exit(5)
}

// TestServeLeavesCtrlCToTheCommand presses Ctrl-C at a terminal, where both the command and payctl get it.
func TestServeLeavesCtrlCToTheCommand(t *testing.T) {
	t.Parallel()
	s := newSession(t, nowhere)
	pid := regexp.MustCompile(`press one (\d+)\.`)
	ctrlC := func(shown *testkit.Terminal, payctl *os.Process) {
		if runtime.GOOS != "windows" {
			shown.Press("\x03")
			return
		}
		// The key would do, but Wine's console gives it to only one program.
		number, err := strconv.Atoi(pid.FindStringSubmatch(shown.Wrote())[1])
		require.NoError(t, err)
		command, err := os.FindProcess(number)
		require.NoError(t, err)
		require.NoError(t, interrupt(payctl))
		require.NoError(t, interrupt(command))
	}
	command := s.with(interruptedVariable + "=1").command
	cmd := command("serve", "--", os.Args[0], "-test.run=^TestInterruptedCommand$")
	out, code := s.steps(cmd, step{".", 1, ctrlC}, step{"press two", 1, ctrlC})
	require.Equal(t, 5, code, "%q", out)
}
