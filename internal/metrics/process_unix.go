//go:build unix

package metrics

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuSeconds is the processor time of the process.
func cpuSeconds() (float64, bool) {
	var usage unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds(), err == nil
}

// maxFiles is the limit of open files.
func maxFiles() (float64, bool) {
	var limit unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)
	return float64(limit.Cur), err == nil
}
