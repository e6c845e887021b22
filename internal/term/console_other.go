//go:build !windows

package term

import (
	"errors"
	"os"
	"syscall"
)

// enableEscapes reports whether the terminal obeys escape sequences; outside Windows they all do.
func enableEscapes(*os.File) bool { return true }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
