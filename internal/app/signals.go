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
)

// Signalled is the error of a program that a signal ended.
type Signalled struct {
	Signal syscall.Signal
	// During is the error of what the signal interrupted, where that has to be reported: a write whose outcome is
	// unknown or that was not sent, or rows of a batch.
	During error
}

// Error implements error.
func (s *Signalled) Error() string {
	switch s.Signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "the terminal was closed"
	}
	return "interrupted"
}

// Unwrap returns the error of what was interrupted.
func (s *Signalled) Unwrap() error { return s.During }

// code is the exit code that a shell reports for a program that a signal ended.
func (s *Signalled) code() int { return 128 + int(s.Signal) }

// with returns the error of a program that got the signal and whose command then failed with err.
func (s *Signalled) with(err error) error {
	_, ofChild := errors.AsType[*exec.ExitError](err)
	if ofChild || cmdutil.IsKind(err, kindReportFailed) || cmdutil.IsKind(err, kindCheckFailed) {
		return err // a signal is the usual end of serve, and the command after -- decides its exit code
	}
	write := payments.IsKind(err, payments.KindOutcomeUnknown) || payments.IsKind(err, payments.KindJournal)
	if write || cmdutil.IsKind(err, cmdutil.KindBatchFailed) {
		return &Signalled{Signal: s.Signal, During: err}
	}
	return s
}

// endSignals are the signals that end the program: Ctrl-C, a supervisor's, and that of a closed terminal.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// handledSignals are the endSignals that the program handles. Under nohup SIGHUP is ignored, and stays so.
func handledSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return endSignals[:len(endSignals)-1]
	}
	return endSignals
}

// A signalContext is a context that also ends with the first signal of the program. It handles signals from its first
// use on: to begin takes a twentieth of the time of a command that waits for nothing, such as version, and a signal may
// end such a command as it ends any other program.
type signalContext struct {
	context.Context
	handle func() // begins to handle signals
}

// Done implements context.Context. Every context that is derived from this one calls it.
func (c signalContext) Done() <-chan struct{} {
	c.handle()
	return c.Context.Done()
}

// Err implements context.Context.
func (c signalContext) Err() error {
	c.handle()
	return c.Context.Err()
}

// withSignals returns a context that the first signal ends, with a *Signalled as its cause. A second signal ends the
// program at once. The returned function ends the context too. It leaves the signals with the program, which ends next:
// to give them back takes a tenth of the time of a short command.
func withSignals(parent context.Context) (context.Context, func()) {
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe fails with an error, as any other write
	ctx, cancel := context.WithCancelCause(parent)
	handle := sync.OnceFunc(func() {
		received := make(chan os.Signal, 1)
		signal.Notify(received, handledSignals()...)
		go func() {
			select {
			case s := <-received:
				signal.Stop(received)
				number, _ := s.(syscall.Signal)
				cancel(&Signalled{Signal: number})
			case <-ctx.Done():
			}
		}()
	})
	return signalContext{ctx, handle}, func() { cancel(nil) }
}
