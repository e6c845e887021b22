package watchui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/program"
	"github.com/payctl/payctl/internal/payments"
)

const (
	// queueSize is how many changes may wait for the program of --exec. When the queue is full, the watch waits.
	queueSize = 1024
	// runGrace is how long the current run may still take when the watch was ended early.
	runGrace = 10 * time.Second
	// stopDelay is how long a run may take to end after SIGTERM or Ctrl-Break, and its children to close its output.
	stopDelay = time.Second
	// outputTail is how much of a run's output is reported if it fails, in bytes.
	outputTail = 2 << 10
)

// An executor runs the program of --exec for each change, one after the other. A nil executor runs nothing.
type executor struct {
	Program
	output io.Writer                        // of the program, both of its streams; nil: it is discarded
	warn   func(format string, args ...any) // reports failed runs

	queue    chan cmdutil.Change
	worked   chan struct{}   // closed: the queue is closed and empty
	canceled context.Context //nolint:containedctx // it has ended: no further run is started
	cancels  context.CancelFunc
	grace    time.Duration
	running  context.Context //nolint:containedctx // of all runs; it ends when their grace is over
	kill     context.CancelFunc

	mu                    sync.Mutex
	isRunning             bool
	done, failed, skipped int
}

// newExecutor finds the program that command names, and starts to wait for changes. It returns nil for an empty
// command. The error is one of cmdutil.Usage if there is no such program.
func newExecutor(
	ctx context.Context, command string, args []string, output io.Writer, warn func(string, ...any),
) (*executor, error) {
	if command == "" {
		return nil, nil //nolint:nilnil // a nil executor runs nothing
	}
	program, err := FindProgram(command, args)
	if err != nil {
		return nil, err
	}
	e := &executor{
		Program: program, output: output, warn: warn, grace: runGrace,
		queue: make(chan cmdutil.Change, queueSize), worked: make(chan struct{}),
	}
	ctx = context.WithoutCancel(ctx) // a run is not interrupted halfway when the watch ends
	e.canceled, e.cancels = context.WithCancel(ctx)
	e.running, e.kill = context.WithCancel(ctx)
	go func() {
		defer close(e.worked)
		for change := range e.queue {
			e.handle(change)
		}
	}()
	return e, nil
}

// enqueue has the program run for a change after the earlier changes. It waits while the queue is full.
func (e *executor) enqueue(change cmdutil.Change) {
	if e == nil {
		return
	}
	select {
	case e.queue <- change:
	case <-e.canceled.Done():
		e.handle(change) // counts it
	}
}

// handle runs the program for a change, unless the executor has been cancelled.
func (e *executor) handle(change cmdutil.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.canceled.Err() != nil {
		e.skipped++
		return
	}
	e.isRunning = true
	e.mu.Unlock()
	err := e.runChange(change)
	e.mu.Lock()
	e.isRunning = false
	e.done++
	if err != nil {
		e.failed++
		e.warn("%s of %s: %v", e.path, change.SubjectID, err)
	}
}

// runChange runs the program once for a change and waits until it ends.
func (e *executor) runChange(change cmdutil.Change) error {
	event, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return e.Run(e.running, change, event, e.output)
}

// cancel drops the queued changes. The current run may take as long as the grace.
func (e *executor) cancel() {
	if e != nil && e.canceled.Err() == nil {
		e.cancels()
		time.AfterFunc(e.grace, e.kill)
	}
}

// wait waits for the runs after the watch has ended. It cancels the queued ones if the watch was ended early, or when
// the context ends. The error is an *ExecError if runs have failed.
func (e *executor) wait(ctx context.Context, early bool) error {
	if e == nil {
		return nil
	}
	defer e.kill()
	cancel := sync.OnceFunc(func() {
		e.cancel()
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.isRunning {
			e.warn("Waiting at most %s for 1 run of %s to end.", e.grace, e.path)
		}
	})
	if early || ctx.Err() != nil {
		cancel()
	}
	defer context.AfterFunc(ctx, cancel)()
	close(e.queue)
	<-e.worked
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.failed > 0:
		return &ExecError{Program: e.path, Failed: e.failed, Of: e.done}
	case e.skipped > 0:
		e.warn("%s was not run for the last %s", e.path, cmdutil.Count(e.skipped, "change(s)"))
	}
	return nil
}

// An ExecError reports that runs of the program of --exec failed.
type ExecError struct {
	Program    string
	Failed, Of int
}

// Error implements error.
func (e *ExecError) Error() string {
	return fmt.Sprintf("%d of %s of %s failed", e.Failed, cmdutil.Count(e.Of, "run(s)"), e.Program)
}

// A Program is what --exec names.
type Program struct {
	path string
	args []string
	env  []string // without credentials
}

// FindProgram finds the program that a command names, and adds arguments to those in the command.
func FindProgram(command string, args []string) (Program, error) {
	path, first, err := program.Find("--exec", command)
	if err != nil {
		return Program{}, err
	}
	args = append(first, args...)
	if err := program.CheckArguments(path, args); err != nil {
		return Program{}, cmdutil.Usage("--exec cannot run %s: %v", path, err)
	}
	return Program{path, args, program.Environment(os.Environ())}, nil
}

// environment returns the variables that describe a change.
func environment(change cmdutil.Change) (env []string) {
	var codes []string
	if reasons, ok := change.Reasons.([]payments.KYCReason); ok {
		for _, r := range reasons {
			codes = append(codes, r.Code)
		}
	}
	for _, pair := range [][2]string{
		{"TYPE", change.Type}, {"SUBJECT_ID", change.SubjectID}, {"FROM", cmdutil.Text(change.From)}, {"TO", change.To},
		{"OCCURRED_AT", change.OccurredAt.UTC().Format(time.RFC3339Nano)}, {"REASONS", strings.Join(codes, ",")},
	} {
		env = append(env, program.EventPrefix+pair[0]+"="+strings.ReplaceAll(pair[1], "\x00", ""))
	}
	return env
}

// Run runs the program for a change, with a line of JSON on its standard input, and waits until it ends. When the
// context ends, the program is terminated with all that it has started. Its output, of both streams, goes to the
// writer; with nil the end of it is in the error.
func (p Program) Run(ctx context.Context, change cmdutil.Change, line []byte, output io.Writer) error {
	variables := environment(change)
	if err := program.CheckVariables(p.path, variables); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, p.path, p.args...) //nolint:gosec // the user names the program
	cmd.Env = append(slices.Clone(p.env), variables...)
	cmd.Stdin = io.MultiReader(bytes.NewReader(line), strings.NewReader("\n"))
	cmd.WaitDelay = stopDelay
	last := &tail{}
	cmd.Stdout = io.Writer(last)
	if output != nil {
		cmd.Stdout = io.MultiWriter(last, output)
	}
	cmd.Stderr = cmd.Stdout // the same writer, so that os/exec writes to it from one goroutine
	end, err := startRun(cmd)
	if err != nil {
		return program.WhyNotRun(err)
	}
	err = cmd.Wait()
	end(ctx.Err() != nil)
	if errors.Is(err, exec.ErrWaitDelay) { // it succeeded, and left a process behind that holds its output open
		return nil
	}
	if text := strings.TrimSpace(last.String()); err != nil && text != "" && output == nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// tail keeps the last outputTail bytes that are written to it.
type tail struct{ kept []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if excess := len(t.kept) - outputTail; excess > 0 {
		t.kept = append(t.kept[:0], t.kept[excess:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }
