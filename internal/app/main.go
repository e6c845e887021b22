// Package app wires the program together and runs it. Main takes these steps, each in its own file:
//
//  1. streams.go records writes to standard output and standard error.
//  2. wire.go makes the dependencies of commands when they are first used.
//  3. signals.go makes a context that ends with a signal.
//  4. Package cli runs the command line.
//  5. errors.go and report.go turn an error into output and an exit code.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// Main runs the program with the arguments after its name and returns its exit code.
func Main(args []string) int { return MainWith(args, time.Now, refserver.New) }

// MainWith is Main with another clock and another service, for tests of a machine that sleeps and of several servers.
func MainWith(args []string, now func() time.Time, newServer serve.NewServer) int {
	protectMemory()
	copied := make([]string, len(args))
	for i, arg := range args {
		copied[i] = strings.Clone(arg)
	}
	args = copied
	hidePasswords()
	// Go's HTTP client logs unsolicited responses, and with GODEBUG all traffic. Both may contain credentials.
	log.SetOutput(io.Discard)
	streams := ui.System(environment)
	out, notes := &recorder{Writer: streams.Out}, &recorder{Writer: streams.Err}
	streams.Out, streams.Err = out, notes
	p, d := wire(environment, streams, now, newServer)
	notes.redact, d.Args = d.Redact, args
	d.Learn(argumentSecrets(args)...)
	ctx, shown := showFirstCall(context.Background(), d.Deps, out, notes)
	ctx, stop := withSignals(ctx)
	defer stop()
	root := cli.New(d)
	p.prepareCompletion(root, args)
	root.SetArgs(args)
	err := execute(ctx, root)
	if printed, printing := shown(); printed {
		err = printing
	}
	if err == nil {
		err = out.failure() // cobra ignores a failure to write help
	}
	p.end()
	if err != nil {
		if cause, ok := errors.AsType[*exit.Signalled](context.Cause(ctx)); ok {
			err = afterSignal(cause, err)
		}
	}
	if stoppedReading(err) {
		return exit.ExitDone
	}
	if err != nil {
		out.redact = d.Redact
		report(d.Deps, args, err, out.begun.Load())
	}
	return exitCode(err)
}

// Command is the program's command line, for generated documentation.
func Command() *cobra.Command {
	_, d := wire(environment, ui.System(environment), time.Now, refserver.New)
	return cli.New(d)
}

// stoppedReading reports whether the only failure is that the reader has closed the output, like head. A batch with
// rows that were not sent has another failure.
func stoppedReading(err error) bool {
	batch := exit.IsKind(err, exit.KindBatchFailed)
	return ui.IsBrokenPipe(err) && !batch && exitCode(err) == exit.ExitUnexpected
}

// execute runs the command. It turns a panic into an error: the text of a panic may contain secrets, and the exit code
// must be one of the table.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", cause, debug.Stack())
		}
	}()
	cmd, err := root.ExecuteContextC(ctx)
	return cli.WithNextStep(cmd, err)
}

// environment reads a variable of this process, and removes white space at the end of payctl's variables. In cmd,
// `set NAME=VALUE && payctl …` adds a space. A shell adds a carriage return when it reads a file with CRLF line ends.
func environment(name string) string {
	value := os.Getenv(name)
	if strings.HasPrefix(name, settings.Variable("")) {
		value = strings.TrimRight(value, " \t\r\n")
	}
	return value
}
