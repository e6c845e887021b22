package app

import "golang.org/x/sys/unix"

// keepMemory keeps the memory of this process, which holds credentials, out of core files and away from debuggers and other
// programs of the same user, or lets all of that be (prctl(2), PR_SET_DUMPABLE). A program that it starts is as any other.
func keepMemory(private bool) {
	dumpable := uintptr(1)
	if private {
		dumpable = 0
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, dumpable, 0, 0, 0) // best effort: a sandbox may refuse
}
