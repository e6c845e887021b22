package app

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endWithParent has the kernel kill the command when this program dies without a chance to do it.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// adopt makes this program the parent of every process that the command leaves behind, also of those that have gone into
// a session of their own, so that they can be found. A kernel that cannot leaves them to themselves. The channel tells
// that a child ended or stopped; it is made before the command starts, which may be stopped at once.
func adopt() (changes chan os.Signal) {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	changes = make(chan os.Signal, 1)
	signal.Notify(changes, unix.SIGCHLD)
	return changes
}

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

// settled is how long this program waits to be stopped and continued. Being stopped it does not notice time; in a group
// that cannot be stopped, as no shell could let it go on, this is all that it waits.
const settled = time.Second

// suspend stops this program where its command was stopped at the terminal (Ctrl-Z), so that the shell has it back, and
// lets the command go on with it.
func suspend(command int) {
	var what unix.Siginfo
	err := unix.Waitid(unix.P_PID, command, &what, unix.WSTOPPED|unix.WNOHANG, nil) // leaves its end to whoever waits for that
	if err != nil || what.Signo == 0 {
		return
	}
	takeBack(command)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	_ = unix.Kill(0, unix.SIGTSTP)
	select {
	case <-continued:
	case <-time.After(settled):
	}
	if front, err := inFront(); err == nil && front == unix.Getpgrp() {
		putInFront(command)
	}
	_ = unix.Kill(-command, unix.SIGCONT)
}

// lookAfter lets adopted processes go as they end, and stops with the command at a terminal. The result ends it.
func lookAfter(command int, terminal bool, changes chan os.Signal) (stop func()) {
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-changes:
				adopted(command)
				if terminal {
					suspend(command)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changes)
		close(done)
		<-stopped
	}
}
