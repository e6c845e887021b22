package securefile

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The command in the place of mv is one that cmd knows, and that moves just that file. PowerShell has it by the same name.
func TestMoveCommand(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"credentials.json", "Ada's & Bob's (1); x.json"} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
		cmd := exec.CommandContext(t.Context(), "cmd")
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + MoveCommand(filepath.ToSlash(path)) + `"`}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NoFileExists(t, path)
		require.FileExists(t, path+".bad")
	}
	require.Equal(t, "move FILE FILE.bad", MoveCommand(`C:\a[b]\c`), "a pattern to PowerShell")
}
