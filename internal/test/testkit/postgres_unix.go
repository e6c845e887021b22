//go:build !windows

package testkit

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// asServerUser makes a program run as the server's user. The program has its own process group, so that an interrupt at
// the terminal does not reach it.
func asServerUser(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if id, other := serverUser(); other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id}
	}
}

// serverUser returns the user and group of the server, if it is another one: PostgreSQL refuses to run as root.
func serverUser() (id uint32, other bool) {
	if os.Getuid() != 0 {
		return 0, false
	}
	if u, err := user.Lookup("postgres"); err == nil {
		if id, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			return uint32(id), true
		}
	}
	return 65534, true // nobody, on most systems
}

// giveToServerUser makes the server's user the owner of a file.
func giveToServerUser(path string) error {
	if id, other := serverUser(); other {
		return os.Chown(path, int(id), int(id))
	}
	return nil
}
