package live

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

// One long status leaves the other columns of all rows where they are.
func TestLongStatusLeavesTheOtherColumns(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 80, 24)
	m.view.put(Row{ID: "acc_01m7zhj4ma84dsrjtxmvwyk06m", Status: ui.Text(strings.Repeat("status_", 5000)), Since: now.Add(-time.Hour), Data: ""})
	m.do()
	screen := ansi.Strip(strings.Join(m.lines(), "\n"))
	require.Contains(t, screen, "TURN")
	require.Contains(t, screen, "status_status_status_status_s…  applicant")
}

// A copied identifier may be pasted into a shell, which must not run it.
func TestCopiedIDIsHarmless(t *testing.T) {
	t.Parallel()
	m := newTestModel(testConfig(), 80, 24)
	m.view.put(Row{ID: "acc_1; reboot\n", Status: ui.Text("pending"), Data: ""})
	m.do()
	m.do("c")
	if runtime.GOOS == "windows" {
		require.Equal(t, `"acc_1; reboot\n"`, m.copied)
		return
	}
	require.Equal(t, `'acc_1; reboot'\\'n'`, m.copied)
}
