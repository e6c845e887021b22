package app

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/serve"
)

// afterSignal returns the error of a program that got a signal and whose command then failed with err.
func afterSignal(s *exit.Signalled, err error) error {
	_, ofChild := errors.AsType[*exec.ExitError](err)
	if ofChild || exit.IsKind(err, serve.KindReportFailed) || exit.IsKind(err, serve.KindCheckFailed) {
		return err // a signal is the usual end of serve, and the command after -- decides its exit code
	}
	write := payments.IsKind(err, payments.KindOutcomeUnknown) || payments.IsKind(err, payments.KindJournal)
	if write || exit.IsKind(err, exit.KindBatchFailed) {
		return &exit.Signalled{Signal: s.Signal, During: err}
	}
	return s
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

// withSignals returns a context that the first signal ends, with a *exit.Signalled as its cause. A second signal ends the
// program at once. The returned function ends the context too. It leaves the signals with the program, which ends next:
// to give them back takes a tenth of the time of a short command.
func withSignals(parent context.Context) (context.Context, func()) {
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe fails with an error, as any other write
	ctx, cancel := context.WithCancelCause(parent)
	handle := sync.OnceFunc(func() {
		received := make(chan os.Signal, 1)
		signal.Notify(received, exit.EndSignals()...)
		go func() {
			select {
			case s := <-received:
				signal.Stop(received)
				number, _ := s.(syscall.Signal)
				cancel(&exit.Signalled{Signal: number})
			case <-ctx.Done():
				signal.Stop(received)
			}
		}()
	})
	return signalContext{ctx, handle}, func() { cancel(nil) }
}
