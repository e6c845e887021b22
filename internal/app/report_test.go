package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

func TestReport(t *testing.T) {
	t.Parallel()
	document := []byte(`{"type":"https://x.example/problems/not-found","title":"Gone fishing.","status":404,"extra":1}`)
	received := &payments.Refusal{
		Problem:  payments.Problem{Type: "https://x.example/problems/not-found", Title: "Gone fishing.", Status: 404},
		Document: document,
	}
	for _, c := range []struct {
		name   string
		args   []string
		output string
		err    error
		stdout string // JSON; empty: nothing
		stderr string
	}{
		{"as received", nil, "json", received, string(document), "Gone fishing. (404)"},
		{"a table leaves standard output alone", nil, "table", received, "", "Gone fishing."},
		{"the format of a line that cannot be read", []string{"accounts", "--bogus", "-o", "json"}, "", deps.Usage("unknown flag: --bogus"),
			`{"type":"payctl:usage","title":"The command cannot be run.","status":0,"detail":"Unknown flag: --bogus."}`, "Unknown flag"},
		{"what was printed is not printed again", nil, "json", &deps.EndedBadly{Subject: "acc_1", State: "rejected"}, "", "ended as rejected"},
		{"an unexpected error", nil, "ndjson", errors.New("disk full"),
			`{"type":"payctl:unexpected","title":"Something went wrong.","status":0,"detail":"Disk full."}`, "Disk full"},
	} {
		var stdout, stderr bytes.Buffer
		streams := &term.Streams{Out: &stdout, Err: &stderr, In: &bytes.Buffer{}}
		dir := t.TempDir()
		d := wire(func(name string) string { return map[string]string{"PAYCTL_CONFIG_DIR": dir}[name] }, streams)
		d.Options.Given = func(string) bool { return false }
		d.Options.Output = c.output
		report(d, c.args, c.err)
		require.Contains(t, stderr.String(), c.stderr, c.name)
		if c.stdout == "" {
			require.Empty(t, stdout.String(), c.name)
			continue
		}
		require.True(t, json.Valid(stdout.Bytes()), c.name)
		require.JSONEq(t, c.stdout, stdout.String(), c.name)
	}
}
