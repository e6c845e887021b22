package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInterruptionsLeaveADocument interrupts commands that never end, once the service answers their request for
// events. This is before or after their first result.
func TestInterruptionsLeaveADocument(t *testing.T) {
	t.Parallel()
	url := serve(t)
	service, err := neturl.Parse(url)
	require.NoError(t, err)
	m := newMachine(t, url)
	account := m.createAccount("ada@example.com")
	for _, line := range []string{
		"events tail", "events tail --after beginning", "kyc watch " + account + " --until rejected",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			answered, passOn, once := make(chan struct{}), httputil.NewSingleHostReverseProxy(service), sync.Once{}
			passOn.ModifyResponse = func(r *http.Response) error {
				if strings.HasPrefix(r.Request.URL.Path, "/events/") {
					once.Do(func() { close(answered) })
				}
				return nil
			}
			front := httptest.NewServer(passOn)
			t.Cleanup(front.Close)
			r := m.with("PAYCTL_BASE_URL=" + front.URL).start(append(strings.Fields(line), "-o", "json")...)
			<-answered
			require.NoError(t, interrupt(r.Process))
			e := r.end()
			require.Equal(t, 130, e.code, e.stderr)
			require.NotEmpty(t, e.stderr)
			require.True(t, json.Valid([]byte(e.stdout)), e.stdout)
		})
	}
}

// TestAnInterruptedFileTellsWhatItDid presses Ctrl-C in the middle of a batch.
func TestAnInterruptedFileTellsWhatItDid(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	f, report := p.transfers(fileRows), filepath.Join(t.TempDir(), "report.csv")
	p.must("sandbox", "faults", "createAutoTransfer=delay:500ms")
	r := p.start(withFlags(f.line, "--concurrency", "2", "--report", report)...)
	count := func() string { return p.must("transfer", "list", "--all", "--jq", "length") }
	require.Eventually(t, func() bool { return count() != "0" }, longestWait, shortWait)
	require.NoError(t, interrupt(r.Process))
	e := r.end()
	require.Equal(t, 130, e.code, e.stderr)
	require.Contains(t, e.stderr, "run the same line again: what is done is not done twice")
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Equal(t, 1+fileRows, strings.Count(string(text), "\n"), "the report has every row")
	require.Positive(t, strings.Count(string(text), ",not_sent,"))
	require.Zero(t, strings.Count(string(text), ",unknown,"), "requests under way were finished")
	require.Equal(t, fmt.Sprint(strings.Count(string(text), ",created,")), count())
	p.must("sandbox", "faults", "--clear")
	p.requireOnce(f, fileRows, p.must(withFlags(f.line, patient...)...))
}

// TestReadingRowsCanBeInterrupted presses Ctrl-C once while a command waits for its input file. Nothing is sent.
func TestReadingRowsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	pipe, opened := newPipe(t)
	for _, args := range [][]string{
		{"transfer", "batch", pipe, "--yes"},
		slices.Concat(p.line, []string{"--input", pipe}),
		{"api", "POST", "/transfers/auto/v1", "--input", pipe},
		{"sandbox", "restore", pipe, "--yes"},
		{"serve", "--addr", "127.0.0.1:0", "--catalogue", pipe},
		{"kyc", "watch", "--from", pipe},
		{"kyc", "submit", "acc_1", "--field", "identity_document=@" + pipe},
	} {
		r := p.start(args...)
		in := opened() // the program now waits for input
		require.NoError(t, interrupt(r.Process))
		e := r.end()
		require.Equal(t, 130, e.code, "%v: %s", args, e.stderr)
		require.NoError(t, in.Close())
	}
	require.Equal(t, "0", p.must("transfer", "list", "--all", "--jq", "length"))
}

// TestAReaderThatStopsReading closes the output early. All rows are still paid, and the exit code tells of findings.
func TestAReaderThatStopsReading(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	f := p.transfers(fileRows)
	cutOff := func(line ...string) (code int) {
		cmd := p.command(line...)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, out.Close())
		_ = cmd.Run() // the exit code says it all
		return cmd.ProcessState.ExitCode()
	}
	comparison := []string{"transfer", "report", "--against", f.line[2], "-o", "csv"}
	require.Equal(t, 15, cutOff(comparison...), "the payments of the file are missing")
	require.Zero(t, cutOff("transfer", "batch", f.line[2], "--yes", "-o", "ndjson"))
	p.requireOnce(f, fileRows, p.must(withFlags(f.line, patient...)...))
}
