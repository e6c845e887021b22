package app

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/ui"
)

// A user runs command lines in this process, with an environment and a configuration folder of their own.
type user struct {
	t       *testing.T
	env     map[string]string
	now     func() time.Time
	stdin   string
	outTTY  bool // standard output is a terminal
	errTTY  bool
	columns int // of the terminal; zero means 80
}

// newUser returns a user of the service at a URL, with the credentials of a client.
func newUser(t *testing.T, url string) *user {
	t.Helper()
	return &user{t: t, now: time.Now, env: map[string]string{
		"PAYCTL_BASE_URL": url, "PAYCTL_CONFIG_DIR": t.TempDir(), "PAYCTL_CREDENTIAL_STORE": "file",
		"PAYCTL_CLIENT_ID": "someone", "PAYCTL_CLIENT_SECRET": "secret-of-someone", "TERM": "xterm-256color",
	}}
}

// ended is the result of a run.
type ended struct {
	code           int
	stdout, stderr string
}

// run runs a command line to its end.
func (u *user) run(args ...string) ended {
	u.t.Helper()
	var stdout, stderr output
	streams := &ui.Streams{
		In: strings.NewReader(u.stdin), Out: &stdout, Err: &stderr, OutTTY: u.outTTY, ErrTTY: u.errTTY, UTF8: true,
		ColorOut: u.outTTY, ColorErr: u.errTTY, Columns: func() int { return u.columns },
	}
	code := run(u.t.Context(), args, streams, func(name string) string { return u.env[name] }, u.now, refserver.New)
	return ended{code, stdout.text.String(), stderr.text.String()}
}

// must runs a command line that must succeed, and returns its output.
func (u *user) must(args ...string) string {
	u.t.Helper()
	e := u.run(args...)
	require.Zero(u.t, e.code, "payctl %s: %s", strings.Join(args, " "), e.stderr)
	return strings.TrimSpace(e.stdout)
}

// output is a buffer that several goroutines may write to.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// commands returns the runnable commands without subcommands, except help.
func commands(cmd *cobra.Command) []*cobra.Command {
	var found []*cobra.Command
	for _, child := range cmd.Commands() {
		found = append(found, commands(child)...)
	}
	if len(found) == 0 && cmd.Runnable() && cmd.Name() != "help" {
		found = append(found, cmd)
	}
	return found
}
