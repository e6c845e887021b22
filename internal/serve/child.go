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

// killAfter is how long a command may take to end after a signal before it is killed. Five seconds after a window was
// closed Windows ends this program too, which has something to do after the command's end.
const killAfter = 3 * time.Second

// runCommand runs the command of `serve -- COMMAND`, with settings and a credential store of its own that are removed
// afterwards. The error is an *exec.ExitError when the command fails.
//
// Without a terminal the command gets a process group, of which nothing outlives it. At a terminal it stays in the
// program's own group, so that Ctrl-C, Ctrl-Z and reading work as if the command had been run alone. On Windows it always
// stays in that group, and nothing of its job outlives it.
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
	// Not d.Out: through a pipe to it, what the command leaves running would keep this program waiting.
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
			return problem.WithNote("make the file executable, or name its interpreter in front of it, as in: -- sh FILE")
		}
		return problem.WithNote("install it, or check its path, and of a script the interpreter that its first line names")
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
	signal(syscall.SIGKILL) // what the command has left running
	return err
}

// ExitCode is the exit code that a shell would report for how the command ended.
func ExitCode(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}

// commandEnvironment returns the environment with settings that lead to the service in place of the settings that it
// has, and without those of the service, among which may be the secrets of clients.
func commandEnvironment(environment []string, getenv func(string) string, dir string, at ready) []string {
	ours := []string{
		settings.EnvProfile, settings.EnvBaseURL, settings.EnvConfigDir, settings.EnvStateDir, settings.EnvStore, settings.EnvCACert,
	}
	kept := slices.DeleteFunc(cmdutil.WithoutSecrets(environment), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(ours, strings.ToUpper(name)) // Windows does not distinguish the cases
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
		settings.EnvStore+"="+keystore.KindFile,
	)
}
