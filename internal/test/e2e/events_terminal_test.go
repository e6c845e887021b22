//go:build !windows

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/terminal"
)

func TestEventsAtATerminal(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	s.columns = 120
	account := s.create("ada+kyc-stuck@example.com")
	after := func(out string) string { return out[strings.LastIndex(out, left):] }

	// Enter shows the event under the cursor in full, and q ends well. The place is saved for --resume.
	var later string
	comes := func(t *terminal.Terminal, _ *os.Process) {
		t.Press("\x1b")
		later = s.create("eve+kyc-stuck@example.com")
	}
	out, code := s.steps(s.command(nil, "events", "tail", "--resume", "--after", "beginning"),
		step{"kyc.statusChanged", 0, press("\r")}, step{`"attempt"`, 0, comes}, step{"account.created", 2, press("/type:created\r")},
		step{"2 of 4", 0, press("q")})
	require.Zero(t, code, "%q", out)
	require.Contains(t, out, entered)
	require.NotContains(t, out, "\x1b[2J\u202e")
	require.Contains(t, after(out), "4 events: 2 account.created, 2 kyc.statusChanged.")
	require.NotContains(t, after(out), account, "the user has seen it")
	out, code = s.terminal(nil, "", nil, "events", "tail", "--resume", "--limit", "1", "--timeout", "300ms")
	require.Equal(t, 12, code, "there is no other event: %q", out)

	// If the feed ends by itself, the last events stay on the terminal.
	out, code = s.terminal(nil, "", nil, "events", "tail", "--after", "beginning", "--limit", "2")
	require.Zero(t, code, "%q", out)
	require.Contains(t, out, entered)
	require.Regexp(t, "account.created.*"+account, after(out))
	require.Regexp(t, "kyc.statusChanged.*"+account, after(out))
	require.NotContains(t, after(out), later)

	out, code = s.terminal(nil, "quit", press("q"), "events", "tail", "--limit", "100")
	require.Equal(t, 130, code, "it waits for more: %q", out)

	for _, flag := range []string{"--accessible", "-v", "--output=ndjson"} {
		out, code = s.terminal(nil, "", nil, "events", "tail", "--after", "beginning", "--limit", "1", flag)
		require.Zero(t, code, "%q", out)
		require.NotContains(t, out, entered, flag)
		require.Contains(t, out, account, flag)
	}
}
