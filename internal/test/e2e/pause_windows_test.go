package e2e

import (
	"os"

	"golang.org/x/sys/windows"
)

// The functions by which debuggers stop a program and let it go on. They are not documented.
var (
	suspendProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtSuspendProcess")
	resumeProcess  = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
)

// pause stops a program until resume lets it go on.
func pause(program *os.Process) error { return callFor(program, suspendProcess) }

func resume(program *os.Process) error { return callFor(program, resumeProcess) }

func callFor(program *os.Process, function *windows.LazyProc) (err error) {
	using := program.WithHandle(func(handle uintptr) {
		if status, _, _ := function.Call(handle); status != 0 {
			err = windows.NTStatus(status)
		}
	})
	if using != nil {
		return using
	}
	return err
}
