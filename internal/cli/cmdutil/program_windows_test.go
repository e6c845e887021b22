package cmdutil

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArgumentsOfBatchFiles checks that arguments that cmd.exe would interpret are refused.
func TestArgumentsOfBatchFiles(t *testing.T) {
	t.Parallel()
	for _, harmless := range []string{"", "a b", "--flag=x", `C:\a b\c`, "(é)", "-"} {
		require.NoError(t, CheckArguments(`C:\hook.cmd`, []string{harmless}), harmless)
	}
	for _, harmful := range []string{
		"a&calc", `"&calc`, "%PATH%", "a|b", "a>b", "a<b", "^", "a\r\nb", "https://x.example/?a=b&c=d",
	} {
		for _, file := range []string{"hook.cmd", `C:\hook.BAT`, "hook.bat. ."} {
			require.ErrorContains(t, CheckArguments(file, []string{"fine", harmful}), "batch file", harmful)
		}
		require.NoError(t, CheckArguments("hook.exe", []string{harmful}))
	}
	// os/exec adds the extension, and cmd.exe interprets the path too.
	hook := filepath.Join(t.TempDir(), "hook")
	require.NoError(t, os.WriteFile(hook+".cmd", nil, 0o700))
	require.ErrorContains(t, CheckArguments(hook, []string{"a&calc"}), "batch file")
	require.NoError(t, CheckArguments(hook, []string{"a b"}))
	for _, path := range []string{`C:\R&D\hook.cmd`, `C:\100%PATH%\a b.bat`, `C:\a,b\hook.cmd`, `C:\a^b\hook.cmd`} {
		require.ErrorContains(t, CheckArguments(path, nil), "its path "+path, path)
		require.NoError(t, CheckArguments(path+".exe", nil))
	}
	require.NoError(t, CheckArguments(`C:\R&D team\hook.cmd`, nil))
}
