//go:build !windows

package live

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// canSuspend is true: Ctrl-Z suspends the program.
const canSuspend = true

// onContinue calls a function after each SIGCONT, until stop is called.
func onContinue(call func()) (stop func()) {
	continued, stopped := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(continued, unix.SIGCONT)
	go func() {
		defer close(stopped)
		for range continued {
			call()
		}
	}()
	return func() {
		signal.Stop(continued)
		close(continued)
		<-stopped
	}
}

// suspendTimeout is how long the system may take to suspend the program. If no shell could continue it, as in a
// container, the kernel does not suspend it at all.
const suspendTimeout = 300 * time.Millisecond

// suspendJob suspends all processes of the job, as the terminal does, and returns when they are continued. It does not
// catch SIGTSTP: the Go runtime cannot restore its default action, which is to suspend the program.
func suspendJob() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) != nil {
		return
	}
	for range 2 { // the time passes also while the program is stopped, and the signal comes a moment after it goes on
		select {
		case <-continued:
			return
		case <-time.After(suspendTimeout):
		}
	}
}
