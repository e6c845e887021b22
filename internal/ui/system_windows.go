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

// enableEscapes switches the console to obeying escape sequences and reports whether it does; a
// console older than Windows 10 does not. The console stays so when the program ends: other programs
// that write to it at the same time may rely on it, and shells set the mode that they need.
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

// inForeground is always true, because a console has no jobs.
func inForeground(*os.File) bool { return true }

// suspend does nothing, for the same reason.
func suspend(context.Context) {}

// awaitUnread does nothing, because Windows cannot tell: the next write fails.
func awaitUnread(context.Context, *os.File) bool { return false }

// interruptDelay is how long Ctrl-C may take to end a context after it has ended the reading of a line: the console
// does both at once, and a read then returns as if the input had ended. It is longer than a busy machine needs, and
// short for a person who ends the input by Ctrl-Z.
const interruptDelay = 250 * time.Millisecond

// restoreTerminal is what a user can do about a terminal that does not show what is typed.
const restoreTerminal = "open another window"
