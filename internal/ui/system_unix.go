//go:build !windows

package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

var brokenPipes = []error{unix.EPIPE, io.ErrClosedPipe}

// enableEscapes reports whether the terminal obeys escape sequences; outside Windows they all do.
func enableEscapes(*os.File) bool { return true }

// interruptDelay is zero, because Ctrl-C does not end a read.
const interruptDelay = 0

// inForeground reports whether the terminal's foreground job is the program's. A terminal that has no jobs, since it
// controls no session, is anybody's.
func inForeground(terminal *os.File) bool {
	job, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || job == unix.Getpgrp()
}

// suspendTimeout is how long suspend waits for the signal to stop the program. A job that nothing could continue is not
// stopped, and meanwhile the terminal shows what is typed.
const suspendTimeout = 100 * time.Millisecond

// suspend stops the program and the rest of its job, as Ctrl-Z does at a terminal that is not raw, until it is
// continued.
func suspend(ctx context.Context) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-ctx.Done():
		case <-time.After(suspendTimeout): // which does not pass while the program is stopped
		}
	}
}

// lookForReader is how often it is looked whether anybody still reads.
const lookForReader = time.Second

// awaitUnread returns true when a pipe has no reader any more, and false when the context ends.
func awaitUnread(ctx context.Context, pipe *os.File) bool {
	watched := []unix.PollFd{{Fd: int32(pipe.Fd())}}
	for ctx.Err() == nil {
		n, err := unix.Poll(watched, int(lookForReader.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case n > 0:
			return watched[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
	return false
}

// restoreTerminal is what a user can do about a terminal that does not show what is typed.
const restoreTerminal = "try: stty sane"
