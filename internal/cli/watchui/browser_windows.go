package watchui

import (
	"context"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach keeps Ctrl-C from a program.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// openWith opens a link with a command of findBrowser, or with the program that Windows has for links.
func openWith(ctx context.Context, command []string, link string) error {
	if len(command) > 0 {
		return startBrowser(ctx, command, link)
	}
	text, err := windows.UTF16PtrFromString(link)
	if err != nil {
		return err
	}
	return windows.ShellExecute(0, nil, text, nil, nil, windows.SW_SHOWNORMAL)
}
