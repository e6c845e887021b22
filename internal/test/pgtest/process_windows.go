package pgtest

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"testing"
)

// supported is false: the tests of PostgreSQL are skipped.
const supported = false

var errUnsupported = errors.New("pgtest: not on Windows")

// Pause is not available.
func (s *Server) Pause(t testing.TB) { t.Fatal(errUnsupported) }

// Resume is not available.
func (s *Server) Resume(t testing.TB) { t.Fatal(errUnsupported) }

func (s *Server) signal(syscall.Signal) ([]string, error) { return nil, errUnsupported }

func waitForEnd(context.Context, []string) error { return errUnsupported }

func (s *Server) reap() bool { return false }

func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...) //nolint:gosec // a program of PostgreSQL
}

func giveToServerUser(string) error { return errUnsupported }
