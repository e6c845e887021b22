//go:build !windows

package app

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// reaping reads a process group, and then whether all went well. Where the other end of the pipe closes instead, the
// program was killed, and what it had begun is ended and removed.
const reaping = `read -r group; read -r end && exit; [ -z "$group" ] || kill -s KILL -- "-$group"; rm -rf -- "$1"`

// A reaper is a small process that does what this program cannot do any more once it is killed with SIGKILL: it ends the
// process group of the command and removes the folder of its settings.
type reaper struct {
	cmd  *exec.Cmd
	pipe *os.File // nobody else has this end, so that it closes with this program
}

// startReaper starts the reaper of a folder, nil where there is no shell for it. What the command starts in a session of its own
// is out of its reach.
func startReaper(dir string) *reaper {
	end, pipe, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer end.Close()
	cmd := exec.Command("/bin/sh", "-c", reaping, "payctl-reaper", dir) //nolint:gosec,noctx // it has to outlive every context
	cmd.Stdin, cmd.Dir, cmd.Env = end, "/", []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // out of reach of the terminal, and of what ends the program's group
	if err := cmd.Start(); err != nil {
		_ = pipe.Close()
		return nil
	}
	return &reaper{cmd, pipe}
}

// pid is the reaper's process; zero when there is none.
func (r *reaper) pid() int {
	if r == nil {
		return 0
	}
	return r.cmd.Process.Pid
}

// watch names the command whose process group is to be ended.
func (r *reaper) watch(command *exec.Cmd) {
	if r != nil {
		_, _ = fmt.Fprintln(r.pipe, command.Process.Pid) // one that is gone is no loss yet
	}
}

// dismiss ends the reaper: what it was there for has been done.
func (r *reaper) dismiss() {
	if r == nil {
		return
	}
	_, _ = fmt.Fprint(r.pipe, "\n\n") // in place of the group too, where the command never ran
	_ = r.pipe.Close()
	_ = r.cmd.Wait() // lookAfter may have let it go already
}
