package ui

import (
	"context"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

var brokenPipes = []error{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA, syscall.EPIPE, io.ErrClosedPipe}

// enableEscapes switches the console to obeying escape sequences and reports whether it does; a
// console older than Windows 10 does not.
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

// awaitUnread does nothing, because Windows cannot tell: the next write fails.
func awaitUnread(context.Context, *os.File) bool { return false }
