package watchui

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

const (
	// queueSize is how many changes may wait for the program of --exec. When the queue is full, the watch waits.
	queueSize = 1024
	// runGrace is how long the current run may still take when the watch was ended early.
	runGrace = 10 * time.Second
)

// An executor runs the program of --exec for each change, one after the other. A nil executor runs nothing.
type executor struct {
	cmdutil.Program
	output io.Writer                        // of the program, both of its streams; nil means discarded
	warn   func(format string, args ...any) // reports failed runs
	grace  time.Duration

	queue  chan cmdutil.ChangeLine
	worked chan struct{}   // closed: the queue is closed and empty
	ctx    context.Context //nolint:containedctx // it has ended: no further run is started
	cancel context.CancelFunc

	done, failed, skipped int // of the queue; only the goroutine that reads it uses them before worked
}

// newExecutor finds the program that command names, and starts to wait for changes. It returns nil for an empty
// command. The error is one of cmdutil.Usage if there is no such program.
func newExecutor(
	ctx context.Context, command string, args []string, output io.Writer, warn func(string, ...any),
) (*executor, error) {
	if command == "" {
		return nil, nil //nolint:nilnil // a nil executor runs nothing
	}
	found, err := cmdutil.FindProgram(command, args)
	if err != nil {
		return nil, err
	}
	e := &executor{
		Program: found, output: output, warn: warn, grace: runGrace,
		queue: make(chan cmdutil.ChangeLine, queueSize), worked: make(chan struct{}),
	}
	e.ctx, e.cancel = context.WithCancel(ctx)
	go func() {
		defer close(e.worked)
		for change := range e.queue {
			if e.ctx.Err() != nil {
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
func (e *executor) enqueue(change cmdutil.ChangeLine) {
	if e == nil {
		return
	}
	select {
	case e.queue <- change:
	case <-e.ctx.Done(): // the watch ends with this change
	}
}

// runChange runs the program once for a change and waits until it ends. It is not interrupted before the grace is over.
func (e *executor) runChange(change cmdutil.ChangeLine) error {
	event, err := json.Marshal(change)
	if err != nil {
		return err
	}
	ctx, kill := context.WithCancel(context.WithoutCancel(e.ctx))
	defer kill()
	defer context.AfterFunc(e.ctx, func() { time.AfterFunc(e.grace, kill) })()
	return e.Run(ctx, change, event, e.output)
}

// wait waits for the runs after the watch has ended. Those in the queue are dropped once the context has ended, as of a
// watch that was ended early. The error tells how many runs have failed.
func (e *executor) wait() error {
	if e == nil {
		return nil
	}
	close(e.queue)
	<-e.worked
	e.cancel()
	switch {
	case e.failed > 0:
		return fmt.Errorf("%d of %s of %s failed", e.failed, cmdutil.Count(e.done, "run(s)"), e.Path)
	case e.skipped > 0:
		e.warn("%s was not run for the last %s", e.Path, cmdutil.Count(e.skipped, "change(s)"))
	}
	return nil
}
