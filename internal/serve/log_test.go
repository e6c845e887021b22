package serve

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/ui"
)

// What a client sends reaches no terminal through the log of the service, in neither of its forms.
func TestTheLogOfAServiceIsHarmless(t *testing.T) {
	t.Parallel()
	const hostile = "/\x1b]0;owned\x07\u009b31m\u202e\u200b\u3164\xff\r\nFORGED"
	for _, atTerminal := range []bool{false, true} {
		var written bytes.Buffer
		d := &invocation.Deps{
			Streams: &ui.Streams{Err: &written, ErrTTY: atTerminal}, Options: &invocation.Options{Verbose: true},
		}
		log := newLog(d)
		log.Debug("asked", "path", hostile, "error", errors.New(hostile))
		log.With("client", hostile).WithGroup("g").Error("failed", "agent", hostile)
		text := written.String()
		require.Equal(t, ui.SanitizeLines(text), text)
		require.NotContains(t, text, "\nFORGED")
		require.Contains(t, text, "owned")
	}
}
