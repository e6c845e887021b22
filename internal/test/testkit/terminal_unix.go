//go:build !windows

package testkit

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// A device is a pseudo-terminal.
type device struct {
	// Keyboard is the user's end. TTY is the standard streams of the program.
	Keyboard, TTY *os.File
}

func (s *Terminal) open(columns, rows int) {
	s.t.Helper()
	var err error
	if s.Keyboard, s.TTY, err = pty.Open(); err != nil {
		s.t.Skipf("no pseudo-terminal is available: %v", err)
	}
	s.Resize(columns, rows)
	go func() {
		defer close(s.closed)
		s.showAll(s.Keyboard)
	}()
	s.t.Cleanup(func() {
		_ = s.TTY.Close()
		_ = s.Keyboard.Close()
		<-s.closed
	})
}

// Start starts a program in the terminal. Each standard stream that is not set is the terminal.
func (s *Terminal) Start(cmd *exec.Cmd) {
	s.t.Helper()
	controlling := 0 // a stream that is the terminal
	if cmd.Stderr == nil {
		cmd.Stderr, controlling = s.TTY, 2
	}
	if cmd.Stdout == nil {
		cmd.Stdout, controlling = s.TTY, 1
	}
	if cmd.Stdin == nil {
		cmd.Stdin = s.TTY
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: controlling}
	require.NoError(s.t, cmd.Start())
	_ = s.TTY.Close() // so that reading ends with the program
}

// Finish waits for the end of a started program and of its output, and returns its exit code.
func (s *Terminal) Finish(cmd *exec.Cmd) int {
	s.t.Helper()
	_ = cmd.Wait() // the exit code says it all
	<-s.closed
	return cmd.ProcessState.ExitCode()
}

func (s *Terminal) setSize(columns, rows int) {
	s.t.Helper()
	require.NoError(s.t, pty.Setsize(s.Keyboard, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)}))
}

// typeKeys writes to the terminal what a user types.
func (d *device) typeKeys(keys string) error {
	_, err := d.Keyboard.WriteString(keys)
	return err
}

// answer answers a query of the program.
func (d *device) answer(text string) {
	_, _ = d.Keyboard.WriteString(text) // a program that has ended needs none
}
