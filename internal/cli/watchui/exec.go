package watchui

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/cli/program"
)

const (
	// queueSize is how many changes may wait for the program of --exec. When the queue is full, the watch waits.
	queueSize = 1024
	// runGrace is how long the current run may still take when the watch was ended early.
	runGrace = 10 * time.Second
)

// An executor runs the program of --exec for each change, one after the other. A nil executor runs nothing.
type executor struct {
	program.Program
	output io.Writer                        // of the program, both of its streams; nil: it is discarded
	warn   func(format string, args ...any) // reports failed runs
	grace  time.Duration

	queue    chan invocation.Change
	worked   chan struct{}   // closed: the queue is closed and empty
	canceled context.Context //nolint:containedctx // it has ended: no further run is started
	cancels  context.CancelFunc
	running  context.Context //nolint:containedctx // of all runs; it ends when their grace is over
	kill     context.CancelFunc

	done, failed, skipped int // only the goroutine that runs the program uses them before worked
}

// newExecutor finds the program that command names, and starts to wait for changes. It returns nil for an empty
// command. The error is one of exit.Usage if there is no such program.
func newExecutor(
	ctx context.Context, command string, args []string, output io.Writer, warn func(string, ...any),
) (*executor, error) {
	if command == "" {
		return nil, nil //nolint:nilnil // a nil executor runs nothing
	}
	found, err := program.Find(command, args)
	if err != nil {
		return nil, err
	}
	e := &executor{
		Program: found, output: output, warn: warn, grace: runGrace,
		queue: make(chan invocation.Change, queueSize), worked: make(chan struct{}),
	}
	ctx = context.WithoutCancel(ctx) // a run is not interrupted halfway when the watch ends
	e.canceled, e.cancels = context.WithCancel(ctx)
	e.running, e.kill = context.WithCancel(ctx)
	go func() {
		defer close(e.worked)
		for change := range e.queue {
			if e.canceled.Err() != nil {
				e.skipped++
				continue
			}
			e.done++
			if err := e.runChange(change); err != nil {
				e.failed++
				e.warn("%s of %s: %v", e.Path, change.SubjectID, err)
			}
		}
	}()
	return e, nil
}

// enqueue has the program run for a change after the earlier changes. It waits while the queue is full.
func (e *executor) enqueue(change invocation.Change) {
	if e == nil {
		return
	}
	select {
	case e.queue <- change:
	case <-e.canceled.Done(): // the watch ends with this change
	}
}

// runChange runs the program once for a change and waits until it ends.
func (e *executor) runChange(change invocation.Change) error {
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
// the context ends. The error tells how many runs have failed.
func (e *executor) wait(ctx context.Context, early bool) error {
	if e == nil {
		return nil
	}
	defer e.kill()
	if early {
		e.cancel()
	}
	defer context.AfterFunc(ctx, e.cancel)()
	close(e.queue)
	<-e.worked
	switch {
	case e.failed > 0:
		return fmt.Errorf("%d of %s of %s failed", e.failed, display.Count(e.done, "run(s)"), e.Path)
	case e.skipped > 0:
		e.warn("%s was not run for the last %s", e.Path, display.Count(e.skipped, "change(s)"))
	}
	return nil
}
