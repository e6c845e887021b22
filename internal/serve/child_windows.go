package serve

import (
	"os/exec"
	"syscall"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// startCommand starts the command in the group of processes that a console sends Ctrl-C to, and in a job. SIGKILL kills
// everything in the job. Any other signal Windows has sent to the command already: consoles send their events, from which
// Go makes signals, to all programs that use them.
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
