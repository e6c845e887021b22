//go:build !windows

// On Windows a console stands between a program and its terminal, and draws the screen itself.

package app

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/testkit"
	"github.com/payctl/payctl/internal/ui"
)

// watch runs a command line at a terminal and closes the live view once it shows a text. It returns all output.
func (u *user) watch(text string, line ...string) string {
	u.t.Helper()
	shown := testkit.OpenTerminal(u.t, 80, 24)
	tty := shown.TTY
	streams := &ui.Streams{
		In: tty, Out: tty, Err: tty, Screen: tty, InTTY: true, OutTTY: true, ErrTTY: true, UTF8: true,
		ColorOut: true, ColorErr: true,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(u.t.Context(), line, streams, func(name string) string { return u.env[name] }, time.Now, refserver.New)
	}()
	shown.WaitFor(text, func() bool { return strings.Contains(shown.Wrote(), text) })
	shown.Press("q")
	<-done
	return shown.Wrote()
}

// TestNoFieldReachesTheLiveView checks the same for the live view, which has control sequences of its own.
func TestNoFieldReachesTheLiveView(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(hostile)
	require.NoError(t, err)
	service := &hostileService{unfed: true, text: string(text[1 : len(text)-1])}
	service.spoils = func(s *contract.Schema, name string) bool {
		return !decoded(s, name) && len(s.Enum) == 0 && !strings.HasSuffix(strings.ToLower(name), "id") && name != "cursor"
	}
	url := service.start(t)
	moves := regexp.MustCompile(`\x1b\[[0-9;?<>=$]*[ -/]*[@-~]|\x1b[=>78M]`)
	for _, line := range []string{"kyc watch some another --until approved", "transfer watch --all"} {
		u := newUser(t, url)
		u.env["PAYCTL_TOKEN"] = "some-token"
		out := u.watch(`x1b]0;owned`, strings.Fields(line)...)
		require.NotContains(t, out, "\x1b]0", "%q", line)
		require.NotContains(t, out, "\x1b]8", "%q", line)
		plain := strings.NewReplacer("\r", "", "\n", "", "\b", "", "\t", "").Replace(moves.ReplaceAllString(out, ""))
		require.Equal(t, ui.Sanitize(plain), plain, "%q", line)
	}
}
