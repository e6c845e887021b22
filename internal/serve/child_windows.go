package serve

import (
	"os/exec"
	"syscall"
	"time"

	"github.com/payctl/payctl/internal/cli/program"
)

// killAfter is how long a command may take to end after a signal before it is killed. Five seconds after a window was
// closed Windows ends this program too, which has something to do after the command's end.
const killAfter = 3 * time.Second

// A commandGroup is the command and everything that it starts, wherever this program runs.
type commandGroup struct{ job *program.Job }

// startGroup starts the command. It stays in the group of processes that a console sends Ctrl-C to.
func startGroup(cmd *exec.Cmd, _ bool) (*commandGroup, error) {
	job, err := program.StartJob(cmd)
	if err != nil {
		return nil, err
	}
	return &commandGroup{job}, nil
}

// signal kills the group. Any other signal Windows has sent to it already: consoles send their events, from which Go makes
// signals, to all programs that use them.
func (g *commandGroup) signal(s syscall.Signal) {
	if s == syscall.SIGKILL {
		g.job.Terminate()
	}
}

func (g *commandGroup) empty() bool { return g.job.Empty() }

func (g *commandGroup) close() { g.job.Close() }

// ExitCode is the exit code of the command.
func ExitCode(e *exec.ExitError) int { return e.ExitCode() }
