package shell

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// printsArguments is the variable that makes this program print its arguments.
const printsArguments = "PAYCTL_TEST_PRINTS_ARGUMENTS"

func TestMain(m *testing.M) {
	if os.Getenv(printsArguments) != "" {
		fmt.Fprint(os.Stdout, strings.Join(os.Args[1:], "\x00")+"\x00")
		return
	}
	os.Exit(m.Run())
}

// TestCmdReadsOneArgument has the real cmd read the values in hints.
func TestCmdReadsOneArgument(t *testing.T) {
	t.Parallel()
	var commands, want []string
	for _, value := range append([]string{`\\server\it's x`, `C:\Users\Ada L\x`, "a;b", "–x", "a&b|c<d>e^f", "Ada (1)"}, nasty...) {
		if word, ok := quoteForWindows(value); ok {
			commands = append(commands, `"`+os.Args[0]+`" `+word)
			want = append(want, value)
		}
	}
	for len(commands) > 0 {
		count := min(len(commands), 10) // a line of cmd is short
		cmd := exec.CommandContext(t.Context(), "cmd")
		// With /s, cmd takes off the first and the last quote, and no others.
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + strings.Join(commands[:count], " & ") + `"`}
		cmd.Dir, cmd.Env = t.TempDir(), append(cmd.Environ(), printsArguments+"=1")
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, strings.Join(want[:count], "\x00")+"\x00", string(out))
		commands, want = commands[count:], want[count:]
	}
}
