package serve

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithParent makes the kernel kill a process when the thread that started it ends, also where this program is
// killed. What that process leaves behind becomes a child of this program, which a container without an init process
// needs for its end to be seen.
func endWithParent(attributes *syscall.SysProcAttr) {
	attributes.Pdeathsig = syscall.SIGKILL
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}
