package watchui

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/payctl/payctl/internal/cli/program"
)

// startRun starts a run in a process group and a job object of its own: Ctrl-C at the console does not interrupt it,
// and it can be ended with all processes that it started. end is called after the run; it ends what is left if that is
// wanted.
func startRun(cmd *exec.Cmd) (end func(kill bool), err error) {
	job, err := program.NewJob()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	cmd.Cancel = func() error {
		pid := uint32(cmd.Process.Pid)
		if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, pid); err != nil { // there is no console
			job.Terminate()
		}
		return nil
	}
	if err := job.Start(cmd); err != nil {
		job.Close()
		return nil, err
	}
	return func(kill bool) {
		if kill {
			job.Close()
			return
		}
		job.Release()
	}, nil
}
