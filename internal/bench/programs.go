package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programs are the executables that are measured.
type programs struct {
	dir                        string
	payctl, empty, hello, echo string
	stripeMock                 string   // empty: it cannot be had
	notes                      []string // what could not be measured, and why
}

const stripeMockModule = "github.com/stripe/stripe-mock@v0.203.0"

// build makes the executables in a folder of their own.
func build(ctx context.Context) (*programs, error) {
	dir, err := os.MkdirTemp("", "payctl-bench-")
	if err != nil {
		return nil, err
	}
	p := &programs{dir: dir}
	for _, program := range []struct {
		path *string
		pkg  string
	}{
		{&p.payctl, "./cmd/payctl"},
		{&p.empty, "./internal/bench/peers/empty"},
		{&p.hello, "./internal/bench/peers/hello"},
		{&p.echo, "./internal/bench/peers/echo"},
	} {
		*program.path = filepath.Join(dir, filepath.Base(program.pkg))
		if err := goTool(ctx, nil, "build", "-trimpath", "-ldflags", "-s -w", "-o", *program.path, program.pkg); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	if err := goTool(ctx, []string{"GOBIN=" + dir, "GOFLAGS=-mod=mod"}, "install", stripeMockModule); err != nil {
		log.Print(err) // the page must not tell of this machine's folders
		p.notes = append(p.notes, "Without its row: stripe-mock, since `go install "+stripeMockModule+"` failed.")
	} else {
		p.stripeMock = filepath.Join(dir, "stripe-mock")
	}
	return p, nil
}

func (p *programs) remove() { _ = os.RemoveAll(p.dir) }

func goTool(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// A server is a running program that answers HTTP.
type server struct {
	cmd  *exec.Cmd
	line string // the first line that it printed
}

// start runs a program and reads its first line.
func start(ctx context.Context, path string, args ...string) (*server, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s printed no first line: %w", filepath.Base(path), err)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	s.line = strings.TrimSpace(line)
	return s, nil
}

// stop ends the program, which may be in the middle of something, and returns the processor time that it took.
func (s *server) stop() time.Duration {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	if s.cmd.ProcessState == nil {
		return 0
	}
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}
