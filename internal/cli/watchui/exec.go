package watchui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

const (
	// parallelRuns is how many runs of the program of --exec there are at the same time.
	parallelRuns = 4
	// queueSize is how many changes may wait for each of them. When a queue is full, the watch waits.
	queueSize = 256
	// runGrace is how long the current runs may still take when the watch was ended early.
	runGrace = 10 * time.Second
	// stopDelay is how long a run may take to end after SIGTERM or Ctrl-Break, and its children to close its output.
	stopDelay = time.Second
	// outputTail is how much of a run's output is reported if it fails, in bytes.
	outputTail = 2 << 10
)

// An executor runs the program of --exec for each change. Runs for one subject follow each other in the order of its
// changes; those of several subjects are parallel. A nil executor runs nothing.
type executor struct {
	Program
	output io.Writer                        // of the program, both of its streams; nil: it is discarded
	warn   func(format string, args ...any) // reports failed runs

	seed     maphash.Seed
	queues   []chan job // a subject always gets the same one
	workers  sync.WaitGroup
	canceled chan struct{} // closed: no further run is started
	cancels  sync.Once
	grace    time.Duration
	running  context.Context //nolint:containedctx // of all runs; it ends when their grace is over
	kill     context.CancelFunc

	mu                             sync.Mutex
	current, done, failed, skipped int
}

// A job is a run of the program.
type job struct {
	change cmdutil.Change
	// ended is told how the run ended, in place of the watch; nil: the watch reports a failure.
	ended func(error)
}

// errNotRun is the error of a job that was waiting when the watch ended.
var errNotRun = errors.New("the watch has ended")

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
		Program: program, output: output, warn: warn,
		seed: maphash.MakeSeed(), canceled: make(chan struct{}), grace: runGrace,
	}
	// A run is not interrupted halfway when the watch ends.
	e.running, e.kill = context.WithCancel(context.WithoutCancel(ctx))
	for range parallelRuns {
		queue := make(chan job, queueSize)
		e.queues = append(e.queues, queue)
		e.workers.Go(func() {
			for j := range queue {
				e.handle(j)
			}
		})
	}
	return e, nil
}

// A Program is what --exec names.
type Program struct {
	path string
	args []string
	env  []string // without credentials
}

// FindProgram finds the program that a command names, and adds arguments to those in the command.
func FindProgram(command string, args []string) (Program, error) {
	path, first, err := cmdutil.FindProgram("--exec", command)
	if err != nil {
		return Program{}, err
	}
	args = append(first, args...)
	if err := cmdutil.CheckArguments(path, args); err != nil {
		return Program{}, cmdutil.Usage("--exec cannot run %s: %v", path, err)
	}
	return Program{path, args, cmdutil.ProgramEnvironment(os.Environ())}, nil
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
		env = append(env, cmdutil.EventPrefix+pair[0]+"="+strings.ReplaceAll(pair[1], "\x00", ""))
	}
	return env
}

// enqueue has the program run for a change after the earlier changes of its subject. It waits while the queue is full.
func (e *executor) enqueue(change cmdutil.Change) {
	if e != nil {
		e.send(context.Background(), job{change: change})
	}
}

// send passes a job on to the queue of its subject, unless the context ends before there is room.
func (e *executor) send(ctx context.Context, j job) {
	select {
	case <-ctx.Done():
	case e.queues[maphash.String(e.seed, j.change.SubjectID)%uint64(len(e.queues))] <- j:
	case <-e.canceled:
		e.handle(j) // counts it
	}
}

// runAll runs the program for changes that a person has chosen, each after the earlier changes of its subject, and
// waits for the runs. It returns how many failed, and the first of their errors. Err is that of the context.
func (e *executor) runAll(ctx context.Context, changes []cmdutil.Change) (failed int, first, err error) {
	ended := make(chan error, len(changes))
	var sender sync.WaitGroup
	defer sender.Wait() // the queues are closed later
	sender.Go(func() {
		for i := 0; i < len(changes) && ctx.Err() == nil; i++ {
			e.send(ctx, job{changes[i], func(err error) {
				if err != nil {
					err = fmt.Errorf("%s: %w", changes[i].SubjectID, err)
				}
				ended <- err
			}})
		}
	})
	for range changes {
		select {
		case err := <-ended:
			if err != nil {
				failed, first = failed+1, cmp.Or(first, err)
			}
		case <-ctx.Done():
			return failed, first, context.Cause(ctx)
		}
	}
	return failed, first, nil
}

// handle does a job, unless the executor has been cancelled.
func (e *executor) handle(j job) {
	e.mu.Lock()
	select {
	case <-e.canceled:
		defer e.mu.Unlock()
		if j.ended != nil {
			j.ended(errNotRun)
			return
		}
		e.skipped++
		return
	default:
	}
	e.current++
	e.mu.Unlock()
	err := e.runProgram(j.change)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current--
	if j.ended != nil {
		j.ended(err)
		return
	}
	e.done++
	if err != nil {
		e.failed++
		e.warn("%s of %s: %v", e.path, j.change.SubjectID, err)
	}
}

// runProgram runs the program once and waits until it ends.
func (e *executor) runProgram(change cmdutil.Change) error {
	event, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return e.Run(e.running, change, event, e.output)
}

// Run runs the program for a change, with a line of JSON on its standard input, and waits until it ends. When the context
// ends, the program is terminated with all that it has started. Its output, of both streams, goes to the writer; with nil
// the end of it is in the error.
func (p Program) Run(ctx context.Context, change cmdutil.Change, line []byte, output io.Writer) error {
	variables := environment(change)
	if err := cmdutil.CheckVariables(p.path, variables); err != nil {
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
		return cmdutil.WhyNotRun(err)
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

// cancel drops the queued changes. The current runs may take as long as the grace.
func (e *executor) cancel() {
	if e == nil {
		return
	}
	e.cancels.Do(func() {
		close(e.canceled)
		time.AfterFunc(e.grace, e.kill)
	})
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
		if e.current > 0 {
			e.warn("Waiting at most %s for %s of %s to end.", e.grace, cmdutil.Count(e.current, "run(s)"), e.path)
		}
	})
	if early || ctx.Err() != nil {
		cancel()
	}
	defer context.AfterFunc(ctx, cancel)()
	for _, queue := range e.queues {
		close(queue)
	}
	e.workers.Wait()
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
