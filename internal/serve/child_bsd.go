//go:build unix && !linux

package serve

import "syscall"

// endWithParent does nothing: these systems cannot end a process with the one that started it.
func endWithParent(*syscall.SysProcAttr) {}
