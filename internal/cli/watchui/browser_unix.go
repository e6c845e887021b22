//go:build !windows

package watchui

import (
	"context"
	"os/exec"
	"syscall"
)

// detach gives a program a session of its own, so that neither Ctrl-C nor the end of the terminal ends it, and so that
// it cannot read keys.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// openWith opens a link with a command of findBrowser.
func openWith(ctx context.Context, command []string, link string) error {
	return startBrowser(ctx, command, link)
}
