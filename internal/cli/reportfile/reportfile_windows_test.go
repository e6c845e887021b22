package reportfile

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// An earlier report that another program has open for itself alone is read when that program closes it. If it does not, the
// report counts as one that knows more, and is not replaced by one that knows less.
func TestEarlierReportThatIsOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "report.csv")
	require.NoError(t, os.WriteFile(path, []byte("a\nb\n"), 0o600))
	report, err := Create(t.Context(), path)
	require.NoError(t, err)
	defer report.Discard()
	name, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	open := func() windows.Handle {
		held, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
		require.NoError(t, err)
		return held
	}
	lines := func(content io.Reader) int {
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		return bytes.Count(text, []byte("\n"))
	}
	held := open()
	time.AfterFunc(100*time.Millisecond, func() { _ = windows.CloseHandle(held) })
	require.Equal(t, 2, report.EarlierCount(lines))
	held = open()
	require.Equal(t, math.MaxInt, report.EarlierCount(lines))
	require.NoError(t, windows.CloseHandle(held))
	require.NoError(t, os.Remove(path))
	require.Zero(t, report.EarlierCount(lines))
}
