package serve

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// killAfter is how long a command may run after a signal before it is killed. Windows ends this program five seconds
// after its window is closed, and it must still clean up.
const killAfter = 3 * time.Second

// runCommand runs the command of `serve -- COMMAND`, with temporary settings and a temporary credential store. The
// error is an *exec.ExitError if the command fails.
//
// Without a terminal the command gets a process group, of which nothing outlives it. At a terminal it stays in the
// program's own group, so that Ctrl-C, Ctrl-Z and reading work as if the command had been run alone. On Windows it
// always stays in that group, and nothing of its job outlives it.
func (o *options) runCommand(ctx context.Context, d *cmdutil.Deps, at ready) (err error) {
	dir, err := os.MkdirTemp("", "payctl-serve-")
	if err != nil {
		return cmdutil.Usage("there is no place for the command's settings: %v", err).
			WithNote("set TMPDIR, or TMP on Windows, to a folder that can be written")
	}
	if dir, err = filepath.Abs(dir); err != nil { // the command may change its working directory
		return err
	}
	defer func() { err = errors.Join(err, securefile.RemoveAll(dir)) }()
	if o.as != "" {
		profile, err := o.profiles.At(o.as, at.URL)
		if err == nil {
			err = securefile.Write(filepath.Join(dir, settings.FileName), profile)
		}
		if err != nil {
			return err
		}
	}
	argv := o.command
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:gosec,noctx // the user runs it; a signal precedes the kill
	// Not d.Out: Wait would wait for every process that still has the pipe to it.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = commandEnvironment(os.Environ(), os.Getenv, dir, at)
	err = cmdutil.CheckArguments(cmd.Path, argv[1:])
	var signal func(syscall.Signal)
	if err == nil {
		signal, err = startCommand(cmd, !d.InTTY)
	}
	if err != nil {
		problem := cmdutil.Usage("%s cannot be run: %v",
			shell.Note("the program %s", argv[0]), cmdutil.WhyNotRun(err))
		if errors.Is(err, fs.ErrPermission) {
			return problem.WithNote("make the file executable, or name its interpreter first, as in: -- sh FILE")
		}
		return problem.WithNote("install it or check its path; for a script, check the interpreter in its first line")
	}
	if d.InTTY {
		cmdutil.LeaveInterrupts()
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
		o.hooks.drain(ctx)
	case <-ctx.Done():
		end := syscall.SIGTERM // where no signal ended the program
		if s, ok := errors.AsType[*cmdutil.Signalled](context.Cause(ctx)); ok {
			end = s.Signal
		}
		signal(end)
		select {
		case err = <-ended:
		case <-time.After(killAfter):
			signal(syscall.SIGKILL)
			err = <-ended
		}
	}
	signal(syscall.SIGKILL) // processes that the command left
	return err
}

// ExitCode is the exit code that a shell would report for the command.
func ExitCode(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}

// commandEnvironment returns the environment for the command. Its settings lead to the service. It has no variables of
// serve's flags, which may contain secrets.
func commandEnvironment(environment []string, getenv func(string) string, dir string, at ready) []string {
	ours := []string{
		settings.EnvProfile, settings.EnvBaseURL, settings.EnvConfigDir,
		settings.EnvStateDir, settings.EnvStore, settings.EnvCACert,
	}
	kept := slices.DeleteFunc(cmdutil.WithoutSecrets(environment), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(ours, strings.ToUpper(name)) // Windows ignores the letter case
	})
	if at.caCert != "" {
		kept = append(kept, settings.EnvCACert+"="+at.caCert)
	}
	if base, err := url.Parse(at.URL); err == nil { // a proxy cannot reach the loopback address of this machine
		for _, name := range []string{"NO_PROXY", "no_proxy"} {
			kept = append(kept, name+"="+strings.TrimLeft(getenv(name)+","+base.Hostname(), ","))
		}
	}
	if at.WebhookSecret != "" {
		kept = append(kept, settings.EnvWebhookSecret+"="+at.WebhookSecret)
	}
	return append(kept,
		settings.EnvBaseURL+"="+at.URL,
		settings.EnvClientID+"="+at.ClientID,
		settings.EnvSecret+"="+at.ClientSecret,
		settings.EnvConfigDir+"="+dir,
		settings.EnvStore+"="+keystore.FileStore,
	)
}
