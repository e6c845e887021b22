//go:build !windows

package ui

import (
	"context"
	"errors"
	"io"
	"os"
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
