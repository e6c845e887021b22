//go:build !windows

package testkit

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// asServerUser has a program run as the user of the server, in a group of its own, so that an interrupt from the
// terminal does not reach it.
func asServerUser(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if id, other := serverUser(); other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id}
	}
}

// serverUser is the user of the server and its group, if that is another one: PostgreSQL refuses to run as root.
func serverUser() (id uint32, other bool) {
	if os.Getuid() != 0 {
		return 0, false
	}
	if u, err := user.Lookup("postgres"); err == nil {
		if id, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			return uint32(id), true
		}
	}
	return 65534, true // the user without rights, on most systems
}

// giveToServerUser makes the user of the server the owner of a file.
func giveToServerUser(path string) error {
	if id, other := serverUser(); other {
		return os.Chown(path, int(id), int(id))
	}
	return nil
}
