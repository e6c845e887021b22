package live

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/ui"
)

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
