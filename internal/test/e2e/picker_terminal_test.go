package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source and a destination are picked by typing and by arrow keys, on a screen that is left behind as it was.
func TestRoutesArePickedAtATerminal(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	out, code := s.steps(s.command(nil, "routes", "select"),
		step{"Filter:", 0, press("ethereum usdx\x7f\x1b[B\x1b[B\x1b[A\r")}, step{"Destination", 0, press("bitcoin\r")})
	require.Zero(t, code, out)
	require.Equal(t, 2, strings.Count(out, entered))
	shown := out[strings.LastIndex(out, left):]
	require.Contains(t, shown, "From ethereum:USDT@chainline to bitcoin:BTC@chainline:")
	require.Contains(t, shown, "ethereum:USDT->bitcoin:BTC")
	require.NotContains(t, out, "^[[B")
	require.True(t, strings.LastIndex(out, "\x1b[?25h") > strings.LastIndex(out, "\x1b[?25l"), "the cursor is back")

	for keys, want := range map[string]int{"\x1b": 1, "\x04": 1, "\x03": 130} {
		out, code = s.terminal(nil, "Filter:", press(keys), "routes", "select")
		require.Equal(t, want, code, "%q: %s", keys, out)
		require.Contains(t, out, left)
	}
	out, code = s.terminal(nil, "Filter:", terminated, "routes", "select")
	require.Equal(t, 143, code, out)
	require.Contains(t, out, left)

	out, code = s.steps(s.command([]string{"TERM=dumb"}, "routes", "select"),
		step{"Number [1-", 0, press("1\r")}, step{"Number [1-", 2, press("1\r")})
	require.Zero(t, code, out)
	require.NotContains(t, out, entered)
}
