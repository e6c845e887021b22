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

// interrupt acts like Ctrl-C at the console of a program.
func interrupt(program *os.Process) error { return sendControl(program, windows.CTRL_C_EVENT) }

// terminate acts like closing the console window of a program.
func terminate(program *os.Process) error { return sendControl(program, windows.CTRL_CLOSE_EVENT) }

// handlersReturn is how long the event handlers of a program may take: the machine may be busy.
const handlersReturn = time.Minute

// sendControl starts the thread in a program that a console starts for an event. GenerateConsoleCtrlEvent needs a
// console, which a test may not have. It reaches only process groups, and does not support CTRL_CLOSE_EVENT.
func sendControl(program *os.Process, event uint32) error {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	startThread, routine := kernel.NewProc("CreateRemoteThread"), kernel.NewProc("CtrlRoutine")
	if err := routine.Find(); err != nil {
		return err
	}
	const rights = windows.PROCESS_CREATE_THREAD | windows.PROCESS_QUERY_INFORMATION |
		windows.PROCESS_VM_OPERATION | windows.PROCESS_VM_READ | windows.PROCESS_VM_WRITE | windows.SYNCHRONIZE
	process, err := windows.OpenProcess(rights, false, uint32(program.Pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // the process has ended
		return os.ErrProcessDone
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	// System libraries have the same address in every process.
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
	// The event has arrived when the handlers have returned or have ended the program.
	_, err = windows.WaitForSingleObject(thread, uint32(handlersReturn.Milliseconds()))
	return err
}

// newPipe creates a named pipe. opened waits until a program opens it for reading, and then holds it open.
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
	next := instance() // the next program must find an instance
	t.Cleanup(func() { require.NoError(t, windows.CloseHandle(next)) })
	return path, func() io.Closer {
		pipe := next
		err := windows.ConnectNamedPipe(pipe, nil)
		if !errors.Is(err, windows.ERROR_PIPE_CONNECTED) { // the program came before this call
			require.NoError(t, err)
		}
		next = instance()
		return os.NewFile(uintptr(pipe), path)
	}
}
