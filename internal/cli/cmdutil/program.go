package cmdutil

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

const (
	// stopDelay is how long a run may take to end after SIGTERM or Ctrl-Break, and its children to close its output.
	stopDelay = time.Second
	// outputTail is how much of a run's output is reported if it fails, in bytes.
	outputTail = 2 << 10
)

// A Program is what --exec names.
type Program struct {
	Path string
	args []string
	env  []string // without credentials
}

// FindProgram finds the program of --exec. The command is split into words as by a shell, or on Windows as by programs.
// Nothing else of a shell is done. The first word is the program, the others are its arguments, and more follow them.
// The error is one of Usage.
func FindProgram(command string, more []string) (Program, error) {
	words, err := splitWords(command)
	if err == nil && len(words) == 0 {
		err = errors.New("it names no program")
	}
	if err != nil {
		return Program{}, Usage("--exec cannot run %q: %v", command, err)
	}
	args := append(words[1:], more...)
	path, err := exec.LookPath(words[0])
	if err == nil {
		err = CheckArguments(path, args)
	}
	if err != nil {
		return Program{}, Usage("--exec cannot run %s: %v", words[0], WhyNotRun(err))
	}
	return Program{path, args, WithoutSecrets(os.Environ())}, nil
}

// eventPrefix begins the names of the environment variables that describe a change.
const eventPrefix = "PAYCTL_EVENT_"

// WithoutSecrets returns an environment without credentials. It also leaves out the settings of serve, some of which
// are credentials, and variables that look like those of a change.
func WithoutSecrets(environment []string) []string {
	secrets := []string{
		settings.EnvToken, settings.EnvSecret, settings.EnvClientID, settings.EnvWebhookSecret,
		"PGPASSWORD", "PGPASSFILE", "PGSSLPASSWORD",
	}
	prefixes := []string{settings.Variable("serve", ""), eventPrefix}
	return slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name) // Windows does not distinguish the cases
		hasPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		return slices.Contains(secrets, name) || slices.ContainsFunc(prefixes, hasPrefix)
	})
}

// eventVariables returns the environment variables that describe a change.
func eventVariables(change ChangeLine) (env []string) {
	var codes []string
	if reasons, ok := change.Reasons.([]payments.KYCReason); ok {
		for _, r := range reasons {
			codes = append(codes, r.Code)
		}
	}
	for _, pair := range [][2]string{
		{"TYPE", change.Type}, {"SUBJECT_ID", change.SubjectID}, {"FROM", Text(change.From)}, {"TO", change.To},
		{"OCCURRED_AT", change.OccurredAt.UTC().Format(time.RFC3339Nano)}, {"REASONS", strings.Join(codes, ",")},
	} {
		env = append(env, eventPrefix+pair[0]+"="+strings.ReplaceAll(pair[1], "\x00", ""))
	}
	return env
}

// Run runs the program for a change, with a line of JSON on its standard input, and waits until it ends. When the
// context ends, the program is terminated with all that it has started. Its output, of both streams, goes to the
// writer; with nil the end of it is in the error.
func (p Program) Run(ctx context.Context, change ChangeLine, line []byte, output io.Writer) error {
	described := eventVariables(change)
	if err := checkVariables(p.Path, described); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, p.Path, p.args...) //nolint:gosec // the user names the program
	cmd.Env = append(slices.Clone(p.env), described...)
	cmd.Stdin = io.MultiReader(bytes.NewReader(line), strings.NewReader("\n"))
	cmd.WaitDelay = stopDelay
	last := &tail{}
	cmd.Stdout = io.Writer(last)
	if output != nil {
		cmd.Stdout = output
	}
	cmd.Stderr = cmd.Stdout // the same writer, so that os/exec writes to it from one goroutine
	end, err := startRun(cmd)
	if err != nil {
		return WhyNotRun(err)
	}
	err = cmd.Wait()
	end(ctx.Err() != nil)
	if errors.Is(err, exec.ErrWaitDelay) { // it succeeded, and left a process behind that holds its output open
		return nil
	}
	if text := strings.TrimSpace(string(last.kept)); err != nil && text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// tail keeps the last outputTail bytes that are written to it.
type tail struct{ kept []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(len(t.kept)-outputTail, 0):]
	return len(p), nil
}

// WhyNotRun is why a program could not be found or started, without its name, which the message names already.
func WhyNotRun(err error) error {
	if failed, ok := errors.AsType[*exec.Error](err); ok {
		err = failed.Err
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return err
}
