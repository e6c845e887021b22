//go:build !windows

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const supported = true

// Pause stops all processes of the server in the middle of what they do: it accepts connections and never responds.
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	_, err := s.signal(syscall.SIGSTOP)
	require.NoError(t, err)
}

// Resume continues after Pause.
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	_, err := s.signal(syscall.SIGCONT)
	require.NoError(t, err)
}

// signal sends a signal to all processes of the server. It returns those that are not its main process.
func (s *Server) signal(signal syscall.Signal) (children []string, err error) {
	main := s.running.Process
	// It starts no process meanwhile. Without it the others would not be recognised any more.
	if err := main.Signal(syscall.SIGSTOP); err != nil {
		return nil, err
	}
	output, err := exec.CommandContext(context.Background(), "ps", "-A", "-o", "ppid=,pid=").Output()
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	for line := range strings.Lines(string(output)) {
		parent, child, _ := strings.Cut(strings.TrimSpace(line), " ")
		if parent != strconv.Itoa(main.Pid) {
			continue
		}
		child = strings.TrimSpace(child)
		pid, err := strconv.Atoi(child)
		if err != nil {
			return nil, err
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return nil, err
		}
		children = append(children, child)
	}
	return children, main.Signal(signal)
}

// waitForEnd waits until processes have ended that were killed. A server does not start while others use its memory.
func waitForEnd(ctx context.Context, processes []string) error {
	return retry(ctx, func() error {
		// ps fails if none is left. One that no process waits for stays as a zombie, state Z, where nothing does so.
		states, _ := exec.CommandContext(ctx, "ps", "-o", "stat=", "-p", strings.Join(processes, ",")).Output() //nolint:gosec // their numbers
		for state := range strings.Lines(string(states)) {
			if !strings.HasPrefix(strings.TrimSpace(state), "Z") {
				return errors.New("a process of the server that was killed still runs")
			}
		}
		return nil
	})
}

// reap reports whether the server's main process has ended. No goroutine waits for that, which would look like a leak to
// tests that search for those.
func (s *Server) reap() bool {
	pid, err := syscall.Wait4(s.running.Process.Pid, nil, syscall.WNOHANG, nil)
	return err == nil && pid == s.running.Process.Pid
}

// command is a program that runs as the user of the server, in a group of its own, so that an interrupt from the
// terminal does not reach it.
func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // a program of PostgreSQL, and the shell
	cmd.Dir = s.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid, gid, other := serverUser(); other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return cmd
}

// serverUser is the user of the server, if that is another one: PostgreSQL refuses to run as root.
func serverUser() (uid, gid uint32, other bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		id, err := strconv.ParseUint(u.Uid, 10, 32)
		group, groupErr := strconv.ParseUint(u.Gid, 10, 32)
		if err == nil && groupErr == nil {
			return uint32(id), uint32(group), true
		}
	}
	return 65534, 65534, true // the user without rights, on most systems
}

// giveToServerUser makes the user of the server the owner of a file.
func giveToServerUser(path string) error {
	if uid, gid, other := serverUser(); other {
		return os.Chown(path, int(uid), int(gid))
	}
	return nil
}
