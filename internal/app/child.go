package app

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/safefile"
)

// killAfter is how long a command that was told to end may take before it is killed.
const killAfter = 5 * time.Second

// runBeside runs a command beside the service, with settings and a credential store of its own that are gone afterwards.
// The error is an *exec.ExitError when the command fails. The signals are those of holdSignals.
func runBeside(ctx context.Context, d *deps.Deps, argv []string, at ready, signals <-chan os.Signal) (err error) {
	// The kernel ends the command when the thread that started it ends; that must be no sooner than the program.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dir, err := os.MkdirTemp("", "payctl-serve-")
	if err != nil {
		return &deps.UsageError{Reason: "there is no place for the command's settings: " + err.Error(), Hint: "set TMPDIR to a folder that can be written"}
	}
	if dir, err = filepath.Abs(dir); err != nil { // the command may work elsewhere
		return err
	}
	reaper := startReaper(dir)
	defer reaper.dismiss()
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := throwAwayConfig(dir, at); err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:gosec,noctx // running it is what was asked for; it is told to end, not killed
	cmd.Stdin, cmd.Stdout, cmd.Stderr = d.In, beneath(d.Out), beneath(d.Err)
	cmd.Env = childEnvironment(os.Environ(), dir, at)
	ownGroup(cmd, d.InTTY)
	changes := adopt()
	if err := cmd.Start(); err != nil {
		return &deps.UsageError{Reason: "the program " + safefile.Quote(argv[0]) + " cannot be run: " + deps.WhyNotRun(err).Error()}
	}
	reaper.watch(cmd)
	defer lookAfter(cmd.Process.Pid, d.InTTY, changes)()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = endGroup(cmd, signalOf(ctx), ended)
	}
	select {
	case <-signals: // it had its effect, on the command
	default:
	}
	sweepGroup(cmd, reaper.pid(), d.InTTY, signals)
	return err
}

// holdSignals keeps signals from ending the program, also a second one, until what it must not leave behind is gone: the
// ready file, the folder of the command's settings and, above all, what the command started. They go into the channel.
func holdSignals() (signals <-chan os.Signal, release func()) {
	held := make(chan os.Signal, 1)
	signal.Notify(held, heeded()...)
	return held, func() { signal.Stop(held) }
}

// endGroup passes a signal on to the command and all that it started, and kills them if they do not end, or at once when
// a second signal comes.
func endGroup(cmd *exec.Cmd, s *Signalled, ended <-chan error) error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, heeded()...)
	defer signal.Stop(again)
	signalGroup(cmd, s.Signal)
	select {
	case err := <-ended:
		return err
	case <-again:
	case <-time.After(killAfter):
	}
	killGroup(cmd)
	return <-ended
}

// beneath is a stream itself, for a command to write to: with a pipe to the program in between, whatever the command leaves
// running would hold that open.
func beneath(w io.Writer) io.Writer {
	if recording, ok := w.(*recorder); ok {
		return recording.Writer
	}
	return w
}

// throwAwayConfig makes the service the local profile's. What it says about idempotency keys it shows itself.
func throwAwayConfig(dir string, at ready) error {
	file, err := config.Load(dir)
	if err != nil {
		return err
	}
	if err := file.SetValue(config.DefaultProfile, "base_url", at.URL); err != nil {
		return err
	}
	return file.Save()
}

// childEnvironment is the environment with the service's coordinates in place of whatever settings it had.
func childEnvironment(environment []string, dir string, at ready) []string {
	ours := []string{config.EnvProfile, config.EnvBaseURL, config.EnvToken, config.EnvClientID, config.EnvSecret,
		config.EnvConfigDir, config.EnvStore, config.EnvCACert}
	kept := slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(ours, name)
	})
	if at.caCert != "" {
		kept = append(kept, config.EnvCACert+"="+at.caCert)
	}
	return append(kept,
		config.EnvBaseURL+"="+at.URL,
		config.EnvClientID+"="+at.ClientID,
		config.EnvSecret+"="+at.ClientSecret,
		config.EnvConfigDir+"="+dir,
		config.EnvStore+"="+credential.KindFile,
	)
}
