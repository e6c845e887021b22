package program

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgramsThatWindowsDoesNotRun runs files of each kind: the error tells why one is not run, or what runs it.
func TestProgramsThatWindowsDoesNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"hook.ps1": "", "hook.py": "print(1)\n", "hook.cmd": "@exit 3\r\n", "plain": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700))
	}
	for name, want := range map[string]string{
		"hook.ps1": "powershell -File", "hook.py": "powershell -File", "hook.cmd": "exit status 3", "hook": "exit status 3",
		"plain": "PATHEXT",
	} {
		err := exec.CommandContext(t.Context(), filepath.Join(dir, name)).Run()
		require.ErrorContains(t, WhyNotRun(err), want, name)
	}
	for _, name := range []string{"missing", "missing.exe"} {
		require.ErrorIs(t, WhyNotRun(exec.CommandContext(t.Context(), filepath.Join(dir, name)).Run()), fs.ErrNotExist, name)
	}
	require.ErrorContains(t, WhyNotRun(exec.CommandContext(t.Context(), "missing").Run()), "not found in %PATH%")
	_, _, err := Find("--exec", filepath.Join(dir, "hook.ps1"))
	require.ErrorContains(t, err, "powershell -File")
	_, _, err = Find("--exec", filepath.Join(dir, "hook.ps1")+" one")
	require.ErrorContains(t, err, "powershell -File")
	path, args, err := Find("--exec", filepath.Join(dir, "hook")+` "C:\a b\" 'two`)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "hook.cmd"), path)
	require.Equal(t, []string{`C:\a b" 'two`}, args, `\" is a quotation mark to programs of Windows`)
}

// TestArgumentsOfBatchFiles refuses what cmd.exe would run.
func TestArgumentsOfBatchFiles(t *testing.T) {
	t.Parallel()
	for _, harmless := range []string{"", "a b", "--flag=x", `C:\a b\c`, "(é)", "-"} {
		require.NoError(t, CheckArguments(`C:\hook.cmd`, []string{harmless}), harmless)
	}
	for _, harmful := range []string{"a&calc", `"&calc`, "%PATH%", "a|b", "a>b", "a<b", "^", "a\r\nb", "https://x.example/?a=b&c=d"} {
		for _, file := range []string{"hook.cmd", `C:\hook.BAT`, "hook.bat. ."} {
			require.ErrorContains(t, CheckArguments(file, []string{"fine", harmful}), "batch file", harmful)
		}
		require.NoError(t, CheckArguments("hook.exe", []string{harmful}))
	}
	// os/exec adds the extension, and cmd.exe reads the path as well.
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
