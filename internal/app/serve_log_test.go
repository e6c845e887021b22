package app

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
)

// People get text, programs JSON; from which level up is for --log-level to say, or for -v.
func TestLogOfServe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		terminal, verbose bool
		level             string
		begins            string
		lines             int // of one at each level
	}{
		{false, false, "", `{"time":`, 3}, {true, false, "", "time=", 3}, {false, true, "", `{"time":`, 4},
		{false, true, "warn", `{"time":`, 2}, {true, false, "debug", "time=", 4}, {false, false, "ERROR", `{"time":`, 1},
	} {
		var out bytes.Buffer
		d := wire(func(string) string { return "" }, &term.Streams{Err: &out, ErrTTY: test.terminal})
		d.Options.Verbose = test.verbose
		log, err := newLog(d, test.level)
		require.NoError(t, err)
		log.Debug("a")
		log.Info("b")
		log.Warn("c")
		log.Error("d")
		require.Equal(t, test.lines, bytes.Count(out.Bytes(), []byte("\n")), test)
		require.Equal(t, test.begins, out.String()[:len(test.begins)])
	}
	_, err := newLog(wire(func(string) string { return "" }, &term.Streams{}), "loud")
	require.ErrorIs(t, err, deps.ErrUsage)
}
