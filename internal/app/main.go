// Package app wires the program together and runs it. Main takes these steps, each in a file of its own:
//
//  1. streams.go: standard output and standard error, with records of what was written to them
//  2. wire.go: the dependencies of commands, made when they are first used
//  3. signals.go: a context that ends with the program's signals
//  4. the command line of package cli
//  5. errors.go and report.go: what an error prints, and with which code the program exits
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// Main runs the program with the arguments after its name and returns its exit code.
func Main(args []string) int { return MainWith(args, time.Now, refserver.New) }

// MainWith is Main with another clock, for tests of what happens when a machine sleeps, and another service, for tests
// of several servers in the place of one.
func MainWith(args []string, now func() time.Time, newServer serve.NewServer) int {
	protectMemory()
	own := make([]string, len(args)) // copies
	for i, arg := range args {
		own[i] = strings.Clone(arg)
	}
	args = own
	hidePasswords()
	// Go's HTTP client logs unsolicited responses, and with GODEBUG all traffic: both may hold credentials.
	log.SetOutput(io.Discard)
	return run(context.Background(), args, ui.System(environment), environment, now, newServer)
}

// run runs the program in this process, as far as its streams and its environment go. Tests call it too.
func run(
	ctx context.Context, args []string, streams *ui.Streams, getenv func(string) string, now func() time.Time,
	newServer serve.NewServer,
) int {
	out, notes := &recorder{Writer: streams.Out}, &recorder{Writer: streams.Err}
	streams.Out, streams.Err = out, notes
	p := wire(args, getenv, streams, now)
	notes.redact = p.Secrets.Redact
	ctx, shown := showFirstCall(ctx, p, out, notes)
	ctx, stop := withSignals(ctx)
	defer stop()
	root := p.commandLine(newServer)
	p.prepareCompletion(root)
	root.SetArgs(args)
	cmd, err := execute(ctx, root)
	if printed, printing := shown(); printed {
		err = printing
	}
	if err == nil {
		err = out.failure() // cobra ignores it when it writes help
	}
	p.end()
	if err != nil {
		if cause, ok := errors.AsType[*cmdutil.Signalled](context.Cause(ctx)); ok {
			err = afterSignal(cause, err)
		}
	}
	if stoppedReading(err) {
		return cmdutil.ExitDone
	}
	if err != nil {
		out.redact = p.Secrets.Redact
		report(p.Deps, cmd, err, out.begun.Load())
	}
	return exitCode(err)
}

// Command is the program's command line, for the documentation that is generated from it.
func Command() *cobra.Command {
	return wire(nil, environment, ui.System(environment), time.Now).commandLine(refserver.New)
}

// stoppedReading reports whether the only failure is that the reader of the output has closed it, as head does. Rows
// of a batch that were not sent for that reason are a failure.
func stoppedReading(err error) bool {
	batch := cmdutil.IsProblem(err, cmdutil.ProblemBatchFailed)
	return ui.IsBrokenPipe(err) && !batch && exitCode(err) == cmdutil.ExitUnexpected
}

// execute runs the command that the line names, and returns it. A panic becomes an error, so that the program exits
// with a code of the table, and without printing the secrets that may be in the panic's text.
func execute(ctx context.Context, root *cobra.Command) (cmd *cobra.Command, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			cmd, err = root, fmt.Errorf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", cause,
				debug.Stack())
		}
	}()
	cmd, err = root.ExecuteContextC(ctx)
	return cmd, cli.WithNextStep(cmd, err)
}

// environment reads a variable of this process. Those of payctl lose the white space at their end, which none of them
// has on purpose: `set NAME=VALUE && payctl …` in cmd adds a blank, and a shell that reads a file with CRLF line ends a
// carriage return.
func environment(name string) string {
	value := os.Getenv(name)
	if strings.HasPrefix(name, settings.Variable("")) {
		value = strings.TrimRight(value, " \t\r\n")
	}
	return value
}

// unversioned is the version of a build without one.
const unversioned = "dev"

// The linker sets these for a release.
var (
	version = unversioned
	commit  = ""
	date    = ""
)

// build identifies this build of the program. `go install` sets no variables, so build uses what Go recorded.
func build() cmdutil.Build {
	b := cmdutil.Build{
		Version: version, Commit: commit, Date: date, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if version != unversioned || !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = strings.TrimPrefix(v, "v") // linked versions have no v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, setting.Value)
		case "vcs.time":
			b.Date = cmp.Or(b.Date, setting.Value)
		}
	}
	return b
}
