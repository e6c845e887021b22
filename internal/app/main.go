// Package app puts the program together and runs it.
package app

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// Main runs the program with the arguments after its name and returns its exit code.
func Main(args []string) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	keepMemory(true)
	// Go's HTTP client logs what services send unasked, which may be the credentials, and all that is sent where GODEBUG says so.
	log.SetOutput(io.Discard)
	streams := term.System(os.Getenv)
	out, notes := &recorder{Writer: streams.Out}, &recorder{Writer: streams.Err}
	streams.Out, streams.Err = out, notes
	d := wire(os.Getenv, streams)
	notes.redact = d.Redact
	ctx, first := firstCall(ctx, d, out, notes)
	root := cli.New(d)
	prepareCompletion(d, root, args)
	root.SetArgs(args)
	err := execute(ctx, root)
	if shown, printing := first.shown(); shown {
		err = printing
	}
	if err == nil {
		err = out.lost() // of what was written by who does not look, as cobra writes help
	}
	d.End()
	if cause, ok := errors.AsType[*Signalled](context.Cause(ctx)); ok && err != nil {
		err = cause.with(err)
	}
	if hasSeenEnough(err) {
		return exitDone
	}
	if err != nil {
		out.redact = d.Redact
		report(d, args, err, out.begun.Load())
	}
	return exitCode(err)
}

// hasSeenEnough says whether nothing failed but that whoever read the output has stopped reading. Rows of a file that were
// not sent for that are a failure.
func hasSeenEnough(err error) bool {
	_, batch := errors.AsType[*deps.BatchEnded](err)
	return term.IsBrokenPipe(err) && !batch && exitCode(err) == exitUnexpected
}

// recorder knows whether anything was written and whether that failed, and can be muted: what is written from then on is dropped.
type recorder struct {
	io.Writer
	redact func(string) string // what may be written of a text; nil: all
	begun  atomic.Bool
	muted  atomic.Bool
	failed atomic.Pointer[error] // the first failure
}

// Write implements io.Writer.
func (r *recorder) Write(p []byte) (int, error) {
	if r.muted.Load() {
		return len(p), nil
	}
	if len(p) > 0 {
		r.begun.Store(true)
	}
	n, err := r.write(p)
	if err != nil {
		r.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (r *recorder) write(p []byte) (int, error) {
	if r.redact != nil {
		if text := r.redact(string(p)); text != string(p) {
			_, err := r.Writer.Write([]byte(text))
			return len(p), err
		}
	}
	return r.Writer.Write(p)
}

// lost is why something was not written; nil when all was.
func (r *recorder) lost() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Signalled says that a signal ended the program.
type Signalled struct {
	Signal syscall.Signal
	// During is what it ended, where that has to be told: a write whose outcome is not known, or that did not leave, or rows.
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

// Unwrap gives errors.As what was ended.
func (s *Signalled) Unwrap() error { return s.During }

// code is what a shell gives for a program that a signal ended.
func (s *Signalled) code() int { return 128 + int(s.Signal) }

// with tells how a command ended after the signal: as its own child did, or by the signal, with what that left unknown.
func (s *Signalled) with(err error) error {
	if _, ofChild := errors.AsType[*exec.ExitError](err); ofChild {
		return err
	}
	_, failed := errors.AsType[*deps.CheckFailed](err)
	if _, lost := errors.AsType[*reportLost](err); failed || lost {
		return err // ending the service is how a check ends, and when its report is written
	}
	if _, rows := errors.AsType[*deps.BatchEnded](err); rows || payments.IsKind(err, payments.KindOutcomeUnknown) || payments.IsKind(err, payments.KindJournal) {
		return &Signalled{Signal: s.Signal, During: err}
	}
	return s
}

// endings are the signals that tell the program to end: Ctrl-C, a supervisor, a closed terminal.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// heeded are those of the endings that count: who starts the program with nohup wants it to outlive its terminal.
func heeded() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return endings[:len(endings)-1]
	}
	return endings
}

// withSignals returns a context that ends, with a *Signalled as its cause, when the program is told to end. A second
// signal ends the program at once.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	received := make(chan os.Signal, 1)
	signal.Notify(received, heeded()...)
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe is an error, which is handled like any other
	go func() {
		select {
		case s := <-received:
			signal.Stop(received)
			number, _ := s.(syscall.Signal)
			cancel(&Signalled{Signal: number})
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
