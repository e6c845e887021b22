//go:build !windows

package server_test

import "syscall"

// resets are the errors on a connection that the other end has closed.
var resets = []error{syscall.ECONNRESET, syscall.EPIPE}
