//go:build !linux && !windows

package app

import "syscall"

// endWithParent does nothing: there is no way to tie a command to this program's life here.
func endWithParent(*syscall.SysProcAttr) {}
