package app

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// endWithParent has the kernel kill the command when this program dies without a chance to do it.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// adopt makes this program the parent of every process that the command leaves behind, also of those that have gone into
// a session of their own, so that they can be found. A kernel that cannot leaves them to themselves.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// adopted lists the children of this program that still run, without that one, and lets those go that have ended.
func adopted(without int) (pids []int) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == without || parent(pid) != os.Getpid() {
			continue
		}
		if ended, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != nil || ended != pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parent is the parent of a process; zero when there is no such process.
func parent(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name before may hold anything; then state, parent
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(string(fields[1]))
	return ppid
}

// reapAdopted lets adopted processes go as they end, beside the command. The result ends it.
func reapAdopted(command int) (stop func()) {
	ends, done, stopped := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(ends, unix.SIGCHLD)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ends:
				adopted(command)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ends)
		close(done)
		<-stopped
	}
}
