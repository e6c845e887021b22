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

// enableEscapes reports whether the terminal obeys escape sequences. Outside Windows all do.
func enableEscapes(*os.File) bool { return true }

// interruptDelay is zero, because Ctrl-C does not end a read.
const interruptDelay = 0

// inForeground reports whether the program is the terminal's foreground job. A terminal without jobs, because it
// controls no session, counts as such.
func inForeground(terminal *os.File) bool {
	job, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || job == unix.Getpgrp()
}

// suspendTimeout is how long suspend waits for the signal to stop the program. The system does not stop a job that
// nothing could continue. Meanwhile the terminal echoes.
const suspendTimeout = 100 * time.Millisecond

// suspend stops the program's job until it is continued, like Ctrl-Z at a terminal that is not raw.
func suspend(ctx context.Context) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-ctx.Done():
		case <-time.After(suspendTimeout): // this time stands still while the program is stopped
		}
	}
}

// lookForReader is how often awaitUnread looks for a reader.
const lookForReader = time.Second

// awaitUnread returns true when a pipe loses its reader, and false when the context ends.
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

// restoreTerminal is what a user can do about a terminal without echo.
const restoreTerminal = "try: stty sane"
