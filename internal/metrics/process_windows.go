package metrics

import (
	"syscall"
	"time"
)

// cpuSeconds is the processor time of the process.
func cpuSeconds() (float64, bool) {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, false
	}
	var created, exited, kernel, user syscall.Filetime
	err = syscall.GetProcessTimes(process, &created, &exited, &kernel, &user)
	units := func(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 + int64(t.LowDateTime) }
	const unit = 100 * time.Nanosecond
	return (time.Duration(units(kernel)+units(user)) * unit).Seconds(), err == nil
}

// maxFiles is not known: the system has no limit of its own.
func maxFiles() (float64, bool) { return 0, false }
