package e2e

import (
	"os"

	"golang.org/x/sys/windows"
)

// The functions by which debuggers stop a program and let it go on. Microsoft does not document them.
var (
	suspendProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtSuspendProcess")
	resumeProcess  = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
)

// pause stops a program until resume lets it go on.
func pause(p *os.Process) error { return callFor(p, suspendProcess) }

func resume(p *os.Process) error { return callFor(p, resumeProcess) }

func callFor(p *os.Process, function *windows.LazyProc) error {
	const suspendOrResume = 0x800 // PROCESS_SUSPEND_RESUME
	handle, err := windows.OpenProcess(suspendOrResume, false, uint32(p.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	if status, _, _ := function.Call(uintptr(handle)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}
