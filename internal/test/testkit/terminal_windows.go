package testkit

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/conpty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// A device is a pseudo console. The Windows console host redraws the program's output with its own escape sequences.
// Compare screens, not what was written.
type device struct {
	console    *conpty.ConPty
	endConsole func() // also ends the programs that are left in it
}

// longestRun is how long a program may run at a terminal.
const longestRun = 2 * time.Minute

func (s *Terminal) open(columns, rows int) {
	s.t.Helper()
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		s.t.Skip("Wine's console host does not support escape sequences")
	}
	var err error
	if s.console, err = conpty.New(columns, rows, 0); err != nil {
		s.t.Skipf("no pseudo console is available: %v", err)
	}
	// The console host has its own handles. While these are open, reading its output does not end.
	closeHandles(s.console.InPipeReadFd(), s.console.OutPipeWriteFd())
	go func() {
		defer close(s.closed)
		s.showAll(s.console)
	}()
	s.endConsole = sync.OnceFunc(func() { windows.ClosePseudoConsole(windows.Handle(s.console.Fd())) })
	s.t.Cleanup(func() {
		s.endConsole()
		<-s.closed
		closeHandles(s.console.InPipeWriteFd(), s.console.OutPipeReadFd())
	})
}

func closeHandles(handles ...uintptr) {
	for _, handle := range handles {
		_ = windows.CloseHandle(windows.Handle(handle))
	}
}

// Start starts a program in the terminal, which is all of its standard streams: use cmd.exe to redirect. The context of
// the command does not end it.
func (s *Terminal) Start(cmd *exec.Cmd) {
	s.t.Helper()
	require.NoError(s.t, cmd.Err)
	require.True(s.t, cmd.Stdin == nil && cmd.Stdout == nil && cmd.Stderr == nil, "the console is every standard stream")
	pid, handle, err := s.console.Spawn(cmd.Path, cmd.Args, &syscall.ProcAttr{Dir: cmd.Dir, Env: cmd.Environ()})
	require.NoError(s.t, err)
	defer closeHandles(handle) // FindProcess opens its own
	cmd.Process, err = os.FindProcess(pid)
	require.NoError(s.t, err)
	tooLong := time.AfterFunc(longestRun, func() { _ = cmd.Process.Kill() })
	go func() {
		defer tooLong.Stop()
		cmd.ProcessState, err = cmd.Process.Wait()
		if err != nil {
			s.t.Error(err)
		}
		s.endConsole()
	}()
}

// Finish waits for the end of a started program and of its output, and returns its exit code.
func (s *Terminal) Finish(cmd *exec.Cmd) int {
	s.t.Helper()
	<-s.closed
	return cmd.ProcessState.ExitCode()
}

func (s *Terminal) setSize(columns, rows int) {
	s.t.Helper()
	require.NoError(s.t, s.console.Resize(columns, rows))
}

// typeKeys writes to the console what a user types.
func (d *device) typeKeys(keys string) error {
	_, err := d.console.Write([]byte(keys))
	return err
}

// answer does nothing: the console host answers programs.
func (d *device) answer(string) {}
