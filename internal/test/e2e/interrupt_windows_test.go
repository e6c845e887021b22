package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// interrupt does to a program what Ctrl-C at its console does.
func interrupt(program *os.Process) error { return sendControl(program, windows.CTRL_C_EVENT) }

// terminate does to a program what closing its console's window does.
func terminate(program *os.Process) error { return sendControl(program, windows.CTRL_CLOSE_EVENT) }

// handlersReturn is how long a program may take to begin with an event, on a machine that is busy.
const handlersReturn = time.Minute

// sendControl starts the thread in a program that a console starts there for an event. GenerateConsoleCtrlEvent needs a
// console, which a test has not everywhere, reaches process groups only, and knows no CTRL_CLOSE_EVENT.
func sendControl(program *os.Process, event uint32) error {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	startThread, routine := kernel.NewProc("CreateRemoteThread"), kernel.NewProc("CtrlRoutine")
	if err := routine.Find(); err != nil {
		return err
	}
	const rights = windows.PROCESS_CREATE_THREAD | windows.PROCESS_QUERY_INFORMATION |
		windows.PROCESS_VM_OPERATION | windows.PROCESS_VM_READ | windows.PROCESS_VM_WRITE | windows.SYNCHRONIZE
	process, err := windows.OpenProcess(rights, false, uint32(program.Pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // the process is no more
		return os.ErrProcessDone
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	// Libraries of the system are at the same address in each program.
	started, _, failure := startThread.Call(uintptr(process), 0, 0, routine.Addr(), uintptr(event), 0, 0)
	if started == 0 {
		if ended, err := windows.WaitForSingleObject(process, 0); err == nil && ended == windows.WAIT_OBJECT_0 {
			return os.ErrProcessDone
		}
		return fmt.Errorf("the program %d cannot be interrupted: %w", program.Pid, failure)
	}
	thread := windows.Handle(started)
	defer windows.CloseHandle(thread)
	if event == windows.CTRL_CLOSE_EVENT {
		return nil // its handlers wait for the end of the program
	}
	// The event has arrived when the handlers have returned, or have ended the program.
	_, err = windows.WaitForSingleObject(thread, uint32(handlersReturn.Milliseconds()))
	return err
}

// newPipe makes a pipe with a path. opened waits until a program has opened it to read, and then holds it open.
func newPipe(t *testing.T) (path string, opened func() io.Closer) {
	path = fmt.Sprintf(`\\.\pipe\payctl-test-%d-%s`, os.Getpid(), t.Name())
	name, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	instance := func() windows.Handle {
		pipe, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_OUTBOUND, windows.PIPE_TYPE_BYTE,
			windows.PIPE_UNLIMITED_INSTANCES, 0, 0, 0, nil)
		require.NoError(t, err)
		return pipe
	}
	next := instance() // for the program that comes next, which must find one
	t.Cleanup(func() { require.NoError(t, windows.CloseHandle(next)) })
	return path, func() io.Closer {
		pipe := next
		err := windows.ConnectNamedPipe(pipe, nil)
		if !errors.Is(err, windows.ERROR_PIPE_CONNECTED) { // it has come before this call
			require.NoError(t, err)
		}
		next = instance()
		return os.NewFile(uintptr(pipe), path)
	}
}
