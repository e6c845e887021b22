package serve

import (
	"os/exec"
	"syscall"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// startCommand starts the command in this program's console group and in a job. SIGKILL kills the whole job. For other
// signals it does nothing: they come from events of the console, which Windows has also sent to the command.
func startCommand(cmd *exec.Cmd, _ bool) (signal func(syscall.Signal), err error) {
	job, err := cmdutil.StartJob(cmd)
	if err != nil {
		return nil, err
	}
	return func(s syscall.Signal) {
		if s == syscall.SIGKILL {
			job.Terminate()
		}
	}, nil
}
