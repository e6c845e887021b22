package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/serve"
)

// afterSignal returns the error of a program that got a signal and then failed with err.
func afterSignal(s *cmdutil.Signalled, err error) error {
	_, isChild := errors.AsType[*exec.ExitError](err)
	if isChild || cmdutil.IsProblem(err, serve.ProblemReportFailed) || cmdutil.IsProblem(err, serve.ProblemCheckFailed) {
		return err // serve usually ends with a signal, and the command after -- decides its exit code
	}
	write := payments.IsProblem(err, payments.ProblemOutcomeUnknown) || payments.IsProblem(err, payments.ProblemJournal)
	if write || cmdutil.IsProblem(err, cmdutil.ProblemBatchFailed) {
		return &cmdutil.Signalled{Signal: s.Signal, During: err}
	}
	return s
}

// A signalContext is a context that also ends with the first signal. It begins to handle signals when it is first used:
// to begin costs a short command, such as version, a twentieth of its time.
type signalContext struct {
	context.Context
	handle func() // begins to handle signals
}

// Done implements context.Context. Every derived context calls it.
func (c signalContext) Done() <-chan struct{} {
	c.handle()
	return c.Context.Done()
}

// Err implements context.Context.
func (c signalContext) Err() error {
	c.handle()
	return c.Context.Err()
}

// withSignals returns a context that the first signal ends, with a *cmdutil.Signalled as its cause. A second signal
// ends the program. The returned function ends the context too. It does not restore the signals, since the program ends
// next and that would take a tenth of the time of a short command.
func withSignals(parent context.Context) (context.Context, func()) {
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe then returns an error
	ctx, cancel := context.WithCancelCause(parent)
	handle := sync.OnceFunc(func() {
		received := make(chan os.Signal, 1)
		signal.Notify(received, cmdutil.EndSignals()...)
		go func() {
			select {
			case s := <-received:
				signal.Stop(received)
				number, _ := s.(syscall.Signal)
				cancel(&cmdutil.Signalled{Signal: number})
			case <-ctx.Done():
				signal.Stop(received)
			}
		}()
	})
	return signalContext{ctx, handle}, func() { cancel(nil) }
}
