package term

import (
	"errors"
	"io"
)

// IsBrokenPipe reports whether err says that the reader of an output has gone away (payctl … | head):
// EPIPE, Windows' ERROR_BROKEN_PIPE and ERROR_NO_DATA, or a closed io.Pipe. On Unix the Go runtime
// turns EPIPE on descriptors 1 and 2 into a fatal SIGPIPE unless the program handles that signal.
func IsBrokenPipe(err error) bool {
	return isBrokenPipe(err) || errors.Is(err, io.ErrClosedPipe)
}
