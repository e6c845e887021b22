package doctor

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

func subjectOf(environment map[string]string) Subject {
	return Subject{
		Getenv: func(name string) string { return environment[name] }, Now: time.Now, Version: "test",
		Secrets: &redact.Secrets{},
	}
}

func environment(t *testing.T, url string, more ...string) map[string]string {
	e := map[string]string{
		"PAYCTL_CONFIG_DIR": filepath.Join(t.TempDir(), "payctl"), "PAYCTL_BASE_URL": url,
		"PAYCTL_CREDENTIAL_STORE": "file", "PAYCTL_TOKEN": "s3cret-token",
	}
	for i := 0; i < len(more); i += 2 {
		e[more[i]] = more[i+1]
	}
	return e
}

// silent starts a service that accepts connections and never answers.
func silent(t *testing.T) (url string) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return "http://" + listener.Addr().String()
}

// The doctor creates no folder. A check that times out is reported as timed out.
func TestItLeavesNothing(t *testing.T) {
	t.Parallel()
	e := environment(t, silent(t), "PAYCTL_TIMEOUT", "1s") // enough to connect on any machine
	found := newExamination(t.Context(), subjectOf(e)).service(t.Context())[0]
	require.Equal(t, payments.ProblemTimeout, found.ProblemType)
	require.NoDirExists(t, e["PAYCTL_CONFIG_DIR"])
}

// A check that hangs is abandoned. A check that panics is reported, without the text of the panic.
func TestItEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	hangs := check{"files", func(context.Context) findings { <-t.Context().Done(); return nil }}
	require.Equal(t, payments.ProblemTimeout, hangs.examine(ctx)[0].ProblemType)
	panics := check{"files", func(context.Context) findings { panic("s3cret") }}
	found := panics.examine(t.Context())[0]
	require.Equal(t, payments.ProblemInternal, found.ProblemType)
	require.NotContains(t, found.Message, "s3cret")

	names := map[string]bool{}
	for _, f := range Examine(ctx, subjectOf(environment(t, silent(t)))) {
		names[f.Check] = true
	}
	checks := []string{"config", "profile", "files", "credentials", "journal", "service", "authentication", "contract"}
	require.ElementsMatch(t, checks, slices.Collect(maps.Keys(names)), "every check reports something")
}

// The doctor checks a journal while a program has it open, after it was closed, and a file that is not a journal.
func TestJournal(t *testing.T) {
	t.Parallel()
	e := environment(t, "http://127.0.0.1:1")
	x := newExamination(t.Context(), subjectOf(e))
	path := filepath.Join(e["PAYCTL_CONFIG_DIR"], "state", journal.FileName)
	writes := &journal.Journal{Path: path, Now: time.Now}
	t.Cleanup(func() { _ = writes.Close() })
	for i, outcome := range []effect.Outcome{effect.Done, effect.Unknown, journal.OutcomeSending} {
		pending := journal.PendingWrite{
			Service: "https://payments.test", Operation: "createAutoTransfer", Key: string(outcome), Fingerprint: "h",
		}
		_, err := writes.Claim(t.Context(), []journal.PendingWrite{pending}, journal.First)
		require.NoError(t, err)
		if outcome != journal.OutcomeSending {
			require.NoError(t, writes.End(pending, journal.Ending{Outcome: outcome}))
		}
		require.NoError(t, writes.Record(t.Context(), nil), "outcomes are on the disk")
		if i == 0 {
			require.Contains(t, x.journal(t.Context())[0].Message, "0 of 1 writes are unresolved")
		}
	}
	for range 2 { // open, then closed
		found := x.journal(t.Context())[0]
		require.Equal(t, Warning, found.Result, found.Message)
		require.Contains(t, found.Message, "The outcome of 2 of 3 writes is unknown")
		require.Equal(t, "payctl transfer resolve", found.Next.String())
		require.NoError(t, writes.Close())
	}
	path = filepath.Join(t.TempDir(), journal.FileName)
	env := environment(t, "http://127.0.0.1:1", "PAYCTL_STATE_DIR", filepath.Dir(path))
	x = newExamination(t.Context(), subjectOf(env))
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no journal at all ", 1000)), 0o600))
	require.Contains(t, x.journal(t.Context())[0].Message, "is damaged")
	require.NoFileExists(t, path+"-wal", "no log is created beside it")
}
