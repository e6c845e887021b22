//go:build !windows

package term

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lookForReader is how often it is looked whether anybody still reads.
const lookForReader = time.Second

// awaitUnread returns when nobody reads a pipe any more, which is true, or the context ends.
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
