package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

func TestReport(t *testing.T) {
	t.Parallel()
	document := []byte(`{"type":"https://x.example/problems/not-found","title":"Gone fishing.","status":404,"extra":1}`)
	received := &payments.ProblemError{
		Problem:  payments.Problem{Type: "https://x.example/problems/not-found", Title: "Gone fishing.", Status: 404},
		Document: document,
	}
	unknown := payments.NewLocalProblem(payments.KindOutcomeUnknown, nil, "Who knows.", "")
	for _, c := range []struct {
		name   string
		args   []string
		output string
		err    error
		stdout string // JSON; empty: nothing
		stderr string
		begun  bool
	}{
		{"as received", nil, "json", received, string(document), "Gone fishing. (404)", false},
		{"a table leaves standard output alone", nil, "table", received, "", "Gone fishing.", false},
		{"the format of a line that cannot be read", []string{"accounts", "--bogus", "-o", "json"}, "", cmdutil.Usage("unknown flag: --bogus"),
			`{"type":"payctl:usage","title":"The command cannot be run.","detail":"Unknown flag: --bogus."}`, "Unknown flag", false},
		{"nothing is added to a result", nil, "json", cmdutil.WatchFailed("one of --until", []cmdutil.Subject{{ID: "acc_1", Status: "rejected"}}), "", "acc_1 failed: ended in rejected, not in one of --until", true},
		{"rows that no journal took", nil, "table", &cmdutil.Error{Kind: cmdutil.KindBatchFailed, Cause: &journal.UnusableError{Path: "journal.db", Err: errors.ErrUnsupported}}, "", "make sure that you may write to ", false},
		{"a write that was interrupted", nil, "json", &cmdutil.Signalled{Signal: syscall.SIGINT, During: unknown},
			`{"type":"payctl:outcome-unknown","title":"Who knows."}`, "Who knows.", false},
		{"rows that were interrupted", nil, "table", &cmdutil.Signalled{Signal: syscall.SIGINT, During: &cmdutil.Error{
			Kind: cmdutil.KindBatchFailed, Title: "Not every row.", Next: []string{"run it again"}, Cause: &cmdutil.Signalled{Signal: syscall.SIGINT},
		}}, "", "run it again", false},
		{"a result that could not be printed", nil, "json", cmdutil.OutputFailed(errors.New("jq: no"), "the transfer trf_1 was created"),
			`{"type":"payctl:unprintable-result","title":"The result could not be printed.","detail":"jq: no. But the transfer trf_1 was created."}`,
			"the transfer trf_1 was created", false},
		{"an unexpected error", nil, "ndjson", errors.New("disk full"),
			`{"type":"payctl:unexpected","title":"Something went wrong.","detail":"Disk full."}`, "Disk full", false},
	} {
		var stdout, stderr bytes.Buffer
		streams := &ui.Streams{Out: &stdout, Err: &stderr, In: &bytes.Buffer{}}
		dir := t.TempDir()
		d, _ := wire(func(name string) string { return map[string]string{"PAYCTL_CONFIG_DIR": dir}[name] }, streams, time.Now)
		d.Options.Given = func(string) bool { return false }
		d.Options.Output = c.output
		report(d, c.args, c.err, c.begun)
		require.Contains(t, stderr.String(), c.stderr, c.name)
		if c.stdout == "" {
			require.Empty(t, stdout.String(), c.name)
			continue
		}
		require.True(t, json.Valid(stdout.Bytes()), c.name)
		require.JSONEq(t, c.stdout, stdout.String(), c.name)
	}
}
