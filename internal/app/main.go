// Package app puts the program together and runs it.
package app

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/term"
)

// Main runs the program with the arguments after its name and returns its exit code.
func Main(args []string) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	d := wire(os.Getenv, term.System(os.Getenv))
	root := cli.New(d)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if cause, ok := errors.AsType[*Signalled](context.Cause(ctx)); ok && err != nil {
		err = cause
	}
	if term.IsBrokenPipe(err) {
		return exitDone // whoever read the output has seen enough
	}
	if err != nil {
		report(d, args, err)
	}
	return exitCode(err)
}

// Signalled says that a signal ended the program.
type Signalled struct{ Signal syscall.Signal }

// Error implements error.
func (s *Signalled) Error() string {
	if s.Signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

func (s *Signalled) code() int {
	if s.Signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupted
}

// withSignals returns a context that ends, with a *Signalled as its cause, when the program is told to end. A second
// signal ends the program at once.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	received := make(chan os.Signal, 1)
	signal.Notify(received, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe is an error, which is handled like any other
	go func() {
		select {
		case s := <-received:
			signal.Stop(received)
			number, _ := s.(syscall.Signal)
			cancel(&Signalled{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		cancel(nil)
	}
}

// Command is the program's command for those who document it.
func Command() *cobra.Command {
	return cli.New(wire(os.Getenv, term.System(os.Getenv)))
}
