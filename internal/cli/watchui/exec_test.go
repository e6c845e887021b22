package watchui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// TestExecProgram is the program that TestExec runs.
func TestExecProgram(t *testing.T) {
	if os.Getenv("WATCHUI_TEST_EXEC") == "" {
		t.Skip("runs as a child process")
	}
	event, err := io.ReadAll(os.Stdin)
	require.NoError(t, err)
	variables := os.ExpandEnv("$PAYCTL_EVENT_SUBJECT_ID|$PAYCTL_EVENT_FROM|$PAYCTL_EVENT_TO|$PAYCTL_EVENT_REASONS")
	fmt.Fprintf(os.Stdout, "<%s|%s>", variables, strings.TrimSpace(string(event)))
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

// note writes a line. It receives the notices of an executor.
func (b *buffer) note(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func TestExec(t *testing.T) {
	for _, name := range []string{"PAYCTL_TOKEN", "PAYCTL_CLIENT_ID", "PAYCTL_CLIENT_SECRET", "PAYCTL_EVENT_FROM"} {
		t.Setenv(name, "secret")
	}
	t.Setenv("WATCHUI_TEST_EXEC", "1")
	var out, notices buffer
	h, err := newExecutor(t.Context(), os.Args[0], []string{"-test.run=^TestExecProgram$"}, &out, notices.note)
	require.NoError(t, err)
	const subjects = 3
	for n := range 4 {
		for s := range subjects {
			change := cmdutil.ChangeLine{
				Type: "t", SubjectID: fmt.Sprint("s", s), To: fmt.Sprint(n), OccurredAt: time.Unix(0, 0),
				Reasons: []payments.KYCReason{{Code: "a"}, {Code: "b\x00c"}},
			}
			if n > 0 {
				change.From = new(fmt.Sprint(n - 1))
			}
			if n == 3 && s == 0 {
				change.To = "bad"
			}
			h.enqueue(change)
		}
	}
	require.EqualError(t, h.wait(), fmt.Sprintf("1 of 12 runs of %s failed", h.Path))
	require.Contains(t, notices.b.String(), "of s0: exit status 3")
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
	_, err = newExecutor(t.Context(), "no-such-program-anywhere", nil, nil, nil)
	require.ErrorIs(t, err, cmdutil.ErrUsage)
}
