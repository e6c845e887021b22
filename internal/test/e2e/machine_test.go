package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	longestWait = 5 * time.Minute // only failures take this long, even on a busy machine
	shortWait   = time.Millisecond
)

// A machine runs the program, with its own configuration and journal.
type machine struct {
	t     *testing.T
	dir   string // home and working directory of programs; the configuration is in config
	env   []string
	input string // standard input of the programs
}

// newMachine returns a machine with the credentials of a client that has its own world.
func newMachine(t *testing.T, url string) machine {
	t.Helper()
	dir, client := t.TempDir(), t.Name()
	return machine{t: t, dir: dir, env: inherited(
		"HOME="+dir, "PAYCTL_CONFIG_DIR="+filepath.Join(dir, "config"), "PAYCTL_BASE_URL="+url,
		"PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_CLIENT_ID="+client, "PAYCTL_CLIENT_SECRET=secret-of-"+client,
		"LANG=C.UTF-8", "TERM=xterm-256color",
	)}
}

// with returns the machine with more environment variables.
func (m machine) with(env ...string) machine {
	m.env = slices.Concat(m.env, env)
	return m
}

// typing returns the machine with an input for its programs.
func (m machine) typing(input string) machine {
	m.input = input
	return m
}

// command returns a command that is not started yet. If it hangs, only its own test fails.
func (m machine) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(m.t.Context(), longestWait)
	m.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Args, cmd.Env, cmd.Dir = append([]string{"payctl"}, args...), m.env, m.dir
	return cmd
}

// A run is a started program whose output is kept.
type run struct {
	*exec.Cmd

	t              *testing.T
	stdout, stderr bytes.Buffer
}

func (m machine) start(args ...string) *run {
	m.t.Helper()
	r := &run{Cmd: m.command(args...), t: m.t}
	r.Stdin, r.Stdout, r.Stderr = strings.NewReader(m.input), &r.stdout, &r.stderr
	require.NoError(m.t, r.Start())
	return r
}

// ended is how a run ended.
type ended struct {
	code           int
	stdout, stderr string
}

// end waits for the end of the program.
func (r *run) end() ended {
	_ = r.Wait() // the exit code says it all
	return ended{r.ProcessState.ExitCode(), strings.TrimSpace(r.stdout.String()), r.stderr.String()}
}

// kill ends the program without a warning.
func (r *run) kill() ended {
	_ = r.Process.Kill() // it may have ended
	return r.end()
}

// run runs the program to its end.
func (m machine) run(args ...string) ended {
	m.t.Helper()
	return m.start(args...).end()
}

// must runs a command line that must succeed, and returns its output.
func (m machine) must(args ...string) string {
	m.t.Helper()
	e := m.run(args...)
	require.Zero(m.t, e.code, "payctl %s: %s", strings.Join(args, " "), e.stderr)
	return e.stdout
}

// atOnce runs a command line in several processes at once.
func (m machine) atOnce(many int, args ...string) (all []ended) {
	m.t.Helper()
	var runs []*run
	for range many {
		runs = append(runs, m.start(args...))
	}
	for _, r := range runs {
		all = append(all, r.end())
	}
	return all
}

// createAccount creates an account and returns its id.
func (m machine) createAccount(email string, more ...string) string {
	m.t.Helper()
	return m.must(append([]string{"accounts", "create", "--type", "individual", "--first-name", "Ada",
		"--last-name", "\x1b[2J\u202eL", "--email", email, "--country", "GB", "--jq", ".id"}, more...)...)
}

// createContact creates a contact of an account and returns its id.
func (m machine) createContact(account, label string) string {
	m.t.Helper()
	return m.must("contacts", "create", "--account", account, "--label", label, "--holder-name", "N",
		"--holder-type", "individual", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000",
		"--jq", ".id")
}

// filesWith lists the files of the machine that contain a text.
func (m machine) filesWith(text string) (found []string) {
	m.t.Helper()
	require.NoError(m.t, filepath.WalkDir(m.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return err
	}))
	return found
}
