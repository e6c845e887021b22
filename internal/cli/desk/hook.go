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
	// hookGrace is how long the runs under way may still take when the watch was ended before its end.
	hookGrace = 10 * time.Second
	// hookDelay is how long a run may take to end when it is told to, and what it leaves behind to let go of its output.
	hookDelay = time.Second
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
	stop    chan struct{} // closed: what has not begun does not begin
	halted  sync.Once
	grace   time.Duration
	running context.Context //nolint:containedctx // of all runs; it ends when their grace is over
	kill    context.CancelFunc

	mu       sync.Mutex
	under    int // way
	told     bool
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
		return "", nil, deps.Usage("--exec cannot run %s: %v", text, errors.Join(splitErr, deps.WhyNotRun(err)))
	}
	if path, err = exec.LookPath(words[0]); err != nil {
		return "", nil, deps.Usage("--exec cannot run %s: %v", words[0], deps.WhyNotRun(err))
	}
	return path, words[1:], nil
}

// newHooks finds the program and is ready to run it. The error is a UsageError when there is none.
func newHooks(ctx context.Context, text string, more []string, output io.Writer, failed func(string, ...any)) (*hooks, error) {
	path, args, err := command(text)
	if err != nil {
		return nil, err
	}
	h := &hooks{
		path: path, args: append(args, more...), env: withoutSecrets(os.Environ()), output: output, failed: failed,
		seed: maphash.MakeSeed(), stop: make(chan struct{}), grace: hookGrace,
	}
	// What a run does may not be done by halves: it does not end with the watch.
	h.running, h.kill = context.WithCancel(context.WithoutCancel(ctx))
	for range hooksAtOnce {
		line := make(chan deps.Change, hooksQueued)
		h.lines = append(h.lines, line)
		h.workers.Go(func() {
			for change := range line {
				h.one(change)
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

// halt gives up what has not begun, and leaves what is under way some time to end.
func (h *hooks) halt() {
	h.halted.Do(func() {
		close(h.stop)
		time.AfterFunc(h.grace, h.kill)
	})
}

// cutShort halts and tells, once, of what is waited for.
func (h *hooks) cutShort() {
	h.halt()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.under > 0 && !h.told {
		h.failed("Waiting at most %s for %s of %s to end.", h.grace, deps.Count(h.under, "run(s)"), h.path)
	}
	h.told = true
}

func (h *hooks) one(change deps.Change) {
	h.mu.Lock()
	select {
	case <-h.stop:
		h.dropped++
		h.mu.Unlock()
		return
	default:
	}
	h.under++
	h.mu.Unlock()
	err := h.exec(change)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.under--
	h.run++
	if err != nil {
		h.bad++
		h.failed("%s of %s: %v", h.path, change.SubjectID, err)
	}
}

// exec runs the program once and waits for its end.
func (h *hooks) exec(change deps.Change) error {
	event, err := json.Marshal(change)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(h.running, h.path, h.args...) //nolint:gosec // running what the user names is what --exec is for
	endGroup := ownGroup(cmd)
	cmd.Env = append(slices.Clone(h.env), environment(change)...)
	cmd.Stdin = bytes.NewReader(append(event, '\n'))
	cmd.WaitDelay = hookDelay
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	if h.output != nil {
		both := &locked{w: io.MultiWriter(said, h.output)}
		cmd.Stdout, cmd.Stderr = both, both
	}
	err = cmd.Run()
	if h.running.Err() != nil {
		endGroup()
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // which only says that it left something running
		if text := strings.TrimSpace(said.String()); text != "" && h.output == nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		return err
	}
	return nil
}

// finish waits for the runs when the watch has ended so; they have to end too when the context does. The error says how many
// failed.
func (h *hooks) finish(ctx context.Context, watched error) error {
	if watched != nil || ctx.Err() != nil {
		h.cutShort()
	}
	defer context.AfterFunc(ctx, h.cutShort)()
	return h.end()
}

// end waits for the runs. The error says how many failed.
func (h *hooks) end() error {
	defer h.kill()
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
		h.failed("%s was not run for the last %s", h.path, deps.Count(h.dropped, "change(s)"))
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
	return fmt.Sprintf("%d of %s of %s failed", e.Failed, deps.Count(e.Of, "run(s)"), e.Program)
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
