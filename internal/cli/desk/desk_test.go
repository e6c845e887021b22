package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/watch"
)

func TestRate(t *testing.T) {
	t.Parallel()
	for text, perSecond := range map[string]float64{"50": 50, "50/s": 50, "600/m": 10, "3600/h": 1, "0.5": 0.5} {
		var r Rate
		require.NoError(t, r.Set(text))
		require.InDelta(t, perSecond, r.perSecond, 1e-9)
	}
	for _, text := range []string{"", "0", "-1", "x", "5/d", "NaN", "Inf", "1e9", "/s"} {
		var r Rate
		require.Error(t, r.Set(text), text)
	}
	require.Equal(t, "50/s", (&Rate{50}).String())
}

// TestHook is the program that TestHooks runs.
func TestHook(t *testing.T) {
	if os.Getenv("DESK_TEST_HOOK") == "" {
		t.Skip("runs as a child process")
	}
	event, err := io.ReadAll(os.Stdin)
	require.NoError(t, err)
	fmt.Fprintf(os.Stdout, "<%s|%s|%s|%s|%s>", os.Getenv("PAYCTL_EVENT_SUBJECT_ID"), os.Getenv("PAYCTL_EVENT_FROM"), os.Getenv("PAYCTL_EVENT_TO"),
		os.Getenv("PAYCTL_EVENT_REASONS"), strings.TrimSpace(string(event)))
	for _, secret := range []string{"PAYCTL_TOKEN", "PAYCTL_CLIENT_ID", "PAYCTL_CLIENT_SECRET"} {
		require.Empty(t, os.Getenv(secret))
	}
	if os.Getenv("PAYCTL_EVENT_TO") == "bad" {
		os.Exit(3)
	}
}

// buffer is a writer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func TestHooks(t *testing.T) {
	for _, name := range []string{"PAYCTL_TOKEN", "PAYCTL_CLIENT_ID", "PAYCTL_CLIENT_SECRET", "PAYCTL_EVENT_FROM"} {
		t.Setenv(name, "secret")
	}
	t.Setenv("DESK_TEST_HOOK", "1")
	var out, told buffer
	h, err := newHooks(t.Context(), os.Args[0], []string{"-test.run=^TestHook$"}, &out, func(format string, args ...any) {
		fmt.Fprintf(&told, format+"\n", args...)
	})
	require.NoError(t, err)
	const subjects = 3
	for n := range 4 {
		for s := range subjects {
			change := deps.Change{Type: "t", SubjectID: fmt.Sprint("s", s), To: fmt.Sprint(n), OccurredAt: time.Unix(0, 0),
				Reasons: []payments.KYCReason{{Code: "a"}, {Code: "b\x00c"}}}
			if n > 0 {
				change.From = new(fmt.Sprint(n - 1))
			}
			if n == 3 && s == 0 {
				change.To = "bad"
			}
			h.begin(change)
		}
	}
	failed, ok := errors.AsType[*HookError](h.end())
	require.True(t, ok)
	require.Equal(t, HookError{h.path, 1, 4 * subjects}, *failed)
	require.Contains(t, told.b.String(), "of s0: exit status 3")
	text := out.b.String()
	require.Contains(t, text, `<s1||0|a,bc|{"type":"t","subjectId":"s1","from":null,"to":"0","occurredAt":"1970-01-01T`)
	for s := range subjects { // in order
		at := -1
		for n := range 3 {
			next := strings.Index(text, fmt.Sprintf("|%d|a,bc|{\"type\":\"t\",\"subjectId\":\"s%d\"", n, s))
			require.Greater(t, next, at)
			at = next
		}
	}
	_, err = newHooks(t.Context(), "no-such-program-anywhere", nil, nil, nil)
	require.ErrorIs(t, err, deps.ErrUsage)
}

func TestCommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "with space")
	require.NoError(t, os.Mkdir(dir, 0o700))
	program := filepath.Join(dir, "hook.exe")
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	path, args, err := command(program)
	require.NoError(t, err)
	require.Equal(t, program, path)
	require.Empty(t, args)
	path, args, err = command(`'` + program + `' one "two  $HOME" three\ `)
	if runtime.GOOS == "windows" {
		return // where a backslash is part of a path
	}
	require.NoError(t, err)
	require.Equal(t, program, path)
	require.Equal(t, []string{"one", "two  $HOME", "three "}, args)
	for _, wrong := range []string{"no-such-program", "no-such-program x", "sh 'x", ""} {
		_, _, err = command(wrong)
		require.ErrorIs(t, err, deps.ErrUsage, wrong)
	}
}

// noTests keeps a program of tests that is run as a hook from running any, and so itself.
const noTests = "-test.run=^$"

func TestHooksAreGivenUpWithTheWatch(t *testing.T) {
	t.Parallel()
	var told buffer
	h, err := newHooks(t.Context(), os.Args[0], []string{noTests}, nil, func(format string, args ...any) { fmt.Fprintf(&told, format, args...) })
	require.NoError(t, err)
	h.halt()
	for range hooksQueued + 5 {
		h.begin(deps.Change{SubjectID: "s"})
	}
	require.NoError(t, h.finish(t.Context(), context.Canceled))
	require.Contains(t, told.b.String(), fmt.Sprintf("was not run for the last %d changes", hooksQueued+5))
}

func TestTail(t *testing.T) {
	t.Parallel()
	var last tail
	for n := range 1000 {
		fmt.Fprintf(&last, "line %d\n", n)
	}
	require.Len(t, last.String(), hookTail)
	require.True(t, strings.HasSuffix(last.String(), "line 999\n"))
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	o := &Options{until: []string{"ok"}, timeout: time.Minute}
	good, bad := []watch.Standing{{ID: "a", Status: "ok"}}, []watch.Standing{{ID: "b", Status: "no", Why: "because"}, {ID: "c", Status: "never"}}
	late := []watch.Standing{{ID: "d", Status: "slow"}, {ID: "e"}}
	other := errors.New("other")
	require.NoError(t, o.verdict(watch.Summary{Reached: good}, nil))
	require.ErrorIs(t, o.verdict(watch.Summary{Reached: good, Badly: bad}, other), other)
	err := o.verdict(watch.Summary{Reached: good, Badly: bad}, nil)
	require.EqualError(t, err, "b ended as no: because\nc ended as never")
	_, ok := errors.AsType[*deps.EndedBadly](err)
	require.True(t, ok)
	err = o.verdict(watch.Summary{Reached: good, Badly: bad, Waiting: late}, errTime)
	require.EqualError(t, err, "after 1m0s d is still slow\ne is still not known\nb ended as no: because\nc ended as never")
	_, ok = errors.AsType[*deps.WaitTimeout](err)
	require.True(t, ok)
	many := make([]watch.Standing, 100)
	require.Contains(t, o.verdict(watch.Summary{Waiting: many}, errTime).Error(), "\nand 79 more")
	require.NoError(t, (&Options{}).verdict(watch.Summary{Waiting: late}, errTime), "there was nothing to wait for")
}
