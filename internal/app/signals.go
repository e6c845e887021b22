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

// afterSignal returns the error of a program that got a signal and then failed with err.
func afterSignal(s *exit.Signalled, err error) error {
	_, isChild := errors.AsType[*exec.ExitError](err)
	if isChild || exit.IsKind(err, serve.KindReportFailed) || exit.IsKind(err, serve.KindCheckFailed) {
		return err // serve usually ends with a signal, and the command after -- decides its exit code
	}
	write := payments.IsKind(err, payments.KindOutcomeUnknown) || payments.IsKind(err, payments.KindJournal)
	if write || exit.IsKind(err, exit.KindBatchFailed) {
		return &exit.Signalled{Signal: s.Signal, During: err}
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

// withSignals returns a context that the first signal ends, with a *exit.Signalled as its cause. A second signal ends
// the program. The returned function ends the context too. It does not restore the signals, since the program ends
// next and that would take a tenth of the time of a short command.
func withSignals(parent context.Context) (context.Context, func()) {
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe then returns an error
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
			}
		}()
	})
	return signalContext{ctx, handle}, func() { cancel(nil) }
}
