//go:build !linux && !windows

package app

import (
	"os"
	"syscall"
)

// endWithParent does nothing: there is no way to tie a command to this program's life here.
func endWithParent(*syscall.SysProcAttr) {}

// adopt, adopted and lookAfter do nothing: what leaves the command's process group cannot be found here,
// and Ctrl-Z stops the command alone.
func adopt() chan os.Signal { return nil }

func adopted(int) []int { return nil }

func lookAfter(int, bool, chan os.Signal) func() { return func() {} }
