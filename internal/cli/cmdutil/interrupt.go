package cmdutil

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// LeaveInterrupts leaves Ctrl-C, Ctrl-\ and Ctrl-Break to a program that was started at the terminal, which gets them as well
// and decides what they do, as under a shell. It is called after the start: programs inherit what is ignored.
func LeaveInterrupts() {
	signal.Ignore(os.Interrupt, syscall.SIGQUIT)
	if runtime.GOOS == "windows" { // where this program ends by what it does not take
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
}
