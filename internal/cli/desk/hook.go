package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/kballard/go-shellquote"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
)

const (
	// hooksAtOnce is how many runs of the program of --exec there are at once.
	hooksAtOnce = 4
	// hooksQueued is how many changes of each such line may wait. With more, the watch waits.
	hooksQueued = 256
	// hookGrace is how long the runs under way may still take when the watch was interrupted.
	hookGrace = 10 * time.Second
	// hookTail is how much of what a run wrote is told when it fails, in bytes.
	hookTail = 2 << 10
)

// hooks run a program for each change. Those of one subject run one after the other, in order; of several, at once.
type hooks struct {
	path   string
	args   []string
	env    []string
	output io.Writer // of the program, both of its streams; nil: nowhere
	failed func(format string, args ...any)

	seed    maphash.Seed
	lines   []chan deps.Change
	workers sync.WaitGroup
	stop    <-chan struct{} // closed: what has not begun does not begin

	mu       sync.Mutex
	run, bad int
	dropped  int
}

// command finds the program that --exec names: as it is, or, where there is no such program, as the first of words that are
// split as a shell would, without anything else that a shell does.
func command(text string) (path string, args []string, err error) {
	path, err = exec.LookPath(text)
	if err == nil {
		return path, nil, nil
	}
	words, splitErr := shellquote.Split(text)
	if splitErr != nil || len(words) < 2 {
		return "", nil, deps.Usage("--exec cannot run %s: %v", text, errors.Join(splitErr, err))
	}
	if path, err = exec.LookPath(words[0]); err != nil {
		return "", nil, deps.Usage("--exec cannot run %s: %v", words[0], err)
	}
	return path, words[1:], nil
}

// newHooks finds the program and is ready to run it. The error is a UsageError when there is none.
func newHooks(ctx context.Context, text string, more []string, output io.Writer, failed func(string, ...any)) (*hooks, error) {
	path, args, err := command(text)
	if err != nil {
		return nil, err
	}
	h := &hooks{path: path, args: append(args, more...), env: withoutSecrets(os.Environ()), output: output, failed: failed, seed: maphash.MakeSeed(), stop: ctx.Done()}
	for range hooksAtOnce {
		line := make(chan deps.Change, hooksQueued)
		h.lines = append(h.lines, line)
		h.workers.Go(func() {
			for change := range line {
				h.one(ctx, change)
			}
		})
	}
	return h, nil
}

// withoutSecrets leaves out what no other program is to know.
func withoutSecrets(env []string) []string {
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{config.EnvToken, config.EnvSecret, config.EnvClientID}, strings.ToUpper(name)) ||
			strings.HasPrefix(name, eventPrefix)
	})
}

// eventPrefix begins the names of the variables that tell of a change.
const eventPrefix = "PAYCTL_EVENT_"

// environment tells of a change.
func environment(change deps.Change) []string {
	from := ""
	if change.From != nil {
		from = *change.From
	}
	var codes []string
	if reasons, ok := change.Reasons.([]payments.KYCReason); ok {
		for _, r := range reasons {
			codes = append(codes, r.Code)
		}
	}
	var env []string
	for _, pair := range [][2]string{
		{"TYPE", change.Type}, {"SUBJECT_ID", change.SubjectID}, {"FROM", from}, {"TO", change.To},
		{"OCCURRED_AT", change.OccurredAt.UTC().Format(time.RFC3339Nano)}, {"REASONS", strings.Join(codes, ",")},
	} {
		env = append(env, eventPrefix+pair[0]+"="+strings.ReplaceAll(pair[1], "\x00", ""))
	}
	return env
}

// begin runs the program for a change, when its turn comes.
func (h *hooks) begin(change deps.Change) {
	line := h.lines[maphash.String(h.seed, change.SubjectID)%uint64(len(h.lines))]
	select {
	case line <- change:
	case <-h.stop:
		h.drop()
	}
}

func (h *hooks) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropped++
}

func (h *hooks) one(ctx context.Context, change deps.Change) {
	select {
	case <-h.stop:
		h.drop()
		return
	default:
	}
	err := h.exec(ctx, change)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.run++
	if err != nil {
		h.bad++
		h.failed("%s of %s: %v", h.path, change.SubjectID, err)
	}
}

// exec runs the program once and waits for its end. It is not ended with the context at once, since what it does may not be
// done by halves; it has some time.
func (h *hooks) exec(ctx context.Context, change deps.Change) error {
	event, err := json.Marshal(change)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(hookGrace, cancel) })()
	cmd := exec.CommandContext(running, h.path, h.args...) //nolint:gosec // running what the user names is what --exec is for
	cmd.Env = append(slices.Clone(h.env), environment(change)...)
	cmd.Stdin = bytes.NewReader(append(event, '\n'))
	cmd.WaitDelay = time.Second // a grandchild may hold the streams open
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	if h.output != nil {
		both := &locked{w: io.MultiWriter(said, h.output)}
		cmd.Stdout, cmd.Stderr = both, both
	}
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(said.String()); text != "" && h.output == nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		return err
	}
	return nil
}

// end waits for the runs; those that have not begun when the context ends are given up. The error says how many failed.
func (h *hooks) end() error {
	for _, line := range h.lines {
		close(line)
	}
	h.workers.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.bad > 0:
		return &HookError{Program: h.path, Failed: h.bad, Of: h.run}
	case h.dropped > 0:
		h.failed("%s was not run for the last %d changes", h.path, h.dropped)
	}
	return nil
}

// A HookError says that runs of the program of --exec failed.
type HookError struct {
	Program    string
	Failed, Of int
}

// Error implements error.
func (e *HookError) Error() string {
	return fmt.Sprintf("%d of %d runs of %s failed", e.Failed, e.Of, e.Program)
}

// tail keeps the end of what is written to it.
type tail struct{ kept []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - hookTail; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }

// locked makes a writer fit for two streams at once.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
