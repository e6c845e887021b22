package ui

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestColorIsDecidedByTerminalAndEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  func(string) string
		tty  bool
		want bool
	}{
		{"terminal", env(), true, true},
		{"no terminal", env(), false, false},
		{"NO_COLOR", env("NO_COLOR", "1"), true, false},
		{"forced", env("CLICOLOR_FORCE", "1"), false, true},
		{"forced with 0", env("CLICOLOR_FORCE", "0"), false, false},
		{"NO_COLOR beats force", env("NO_COLOR", "1", "CLICOLOR_FORCE", "1"), true, false},
		{"CLICOLOR=0", env("CLICOLOR", "0"), true, false},
	} {
		require.Equal(t, c.want, wantsColor(c.env, c.tty), c.name)
	}
}

func TestColorsOfTheTerminalAreReadFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		term, colorTerm string
		want            bool
	}{
		{"xterm", "", false},
		{"linux", "", false},
		{"screen-256color", "truecolor", true},
		{"xterm-256color", "", true},
		{"xterm", "24bit", true},
		{"xterm-kitty", "", true},
	} {
		require.Equal(t, c.want, hasManyColors(env("TERM", c.term, "COLORTERM", c.colorTerm)), "%s %s", c.term, c.colorTerm)
	}
	forced := System(env("CLICOLOR_FORCE", "1", "TERM", "dumb", "COLORTERM", "truecolor"))
	require.Equal(t, colorprofile.ANSI256, forced.ColorProfile())
	require.Equal(t, colorprofile.ASCII, System(env("NO_COLOR", "1", "TERM", "xterm-256color")).ColorProfile())
}

func TestDumbTerminalAndLocale(t *testing.T) {
	t.Parallel()
	require.True(t, isDumb(env("TERM", "dumb")))
	require.False(t, isDumb(env("TERM", "xterm-256color")))
	require.Equal(t, runtime.GOOS != "windows", isDumb(env()))
	isWindows := runtime.GOOS == "windows"
	require.Equal(t, isWindows, localeIsUTF8(env("LANG", "de_DE")))
	require.False(t, localeIsUTF8(env("LANG", "POSIX")))
	require.True(t, localeIsUTF8(env("LANG", "en_GB.UTF-8")))
	require.True(t, localeIsUTF8(env("LC_CTYPE", "C.utf8", "LANG", "C")))
	require.False(t, localeIsUTF8(env("LC_ALL", "C", "LANG", "en_GB.UTF-8")))
	require.Equal(t, isWindows, localeIsUTF8(env()))
	require.Equal(t, defaultWidth, (&Streams{Columns: func() int { return 0 }}).Width())
}

// TestIsBrokenPipe does not run in parallel with tests that start a process. Between its fork and its exec, such a
// process also holds the reading end open, and the write would succeed.
func TestIsBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	defer w.Close()
	p, err := NewPrinter(&Streams{Out: w, Err: io.Discard}, FormatJSON, "")
	require.NoError(t, err)
	require.True(t, IsBrokenPipe(p.Print(1, nil)))
	require.False(t, IsBrokenPipe(nil))
	require.False(t, IsBrokenPipe(errors.New("broken pipe")))
}

// wholeLines fails the test when a Write does not end a line.
type wholeLines struct {
	t *testing.T
	bytes.Buffer
}

func (w *wholeLines) Write(b []byte) (int, error) {
	require.True(w.t, bytes.HasSuffix(b, []byte("\n")), "%q", b)
	return w.Buffer.Write(b)
}

func TestNotices(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	s := &Streams{Out: io.Discard, Err: &b}
	s.Notef("took %s", "long\n\x1b[1mforged")
	s.Successf("created %s", "trf_1")
	s.Warnf("careful: %d%%", 5)
	require.Equal(t, "took long\\n\\x1b[1mforged\nok: created trf_1\nwarning: careful: 5%\n", b.String())
}
