package ui

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

var brokenPipes = []error{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA, syscall.EPIPE, io.ErrClosedPipe}

// enableEscapes makes the console obey escape sequences, and reports whether it does. A console older than Windows 10
// does not. The mode stays after the program: other programs at the same console may rely on it, and shells set their
// own.
func enableEscapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	if mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return true
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// inForeground is always true: a console has no jobs.
func inForeground(*os.File) bool { return true }

// suspend does nothing, for the same reason.
func suspend(context.Context) {}

// awaitUnread does nothing, because Windows cannot tell: the next write fails.
func awaitUnread(context.Context, *os.File) bool { return false }

// interruptDelay is how long Ctrl-C may take to end a context. The console first ends the read, like the end of input.
// The delay is long enough for a busy machine, and short for a person who types Ctrl-Z.
const interruptDelay = 250 * time.Millisecond

// restoreTerminal is what a user can do about a terminal without echo.
const restoreTerminal = "open another window"
