package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFileAtATerminal answers the question before a batch in every way.
func TestAFileAtATerminal(t *testing.T) {
	t.Parallel()
	p := newPayer(t, serve(t))
	s, f := &session{machine: p.machine}, p.transfers(fileRows)
	report := filepath.Join(t.TempDir(), "report.csv")
	line := []string{"transfer", "batch", f.line[2], "--concurrency", "2", "--report", report}
	paid := func() string { return p.must("transfer", "list", "--all", "--jq", "length") }

	endOfInput := "\x04"
	if runtime.GOOS == "windows" {
		endOfInput = "\x1a\r"
	}
	for keys, code := range map[string]int{"\r": 1, "n\r": 1, "x\r": 1, endOfInput: 1, "\x03": 130} {
		out, got := s.terminal(nil, "[y/N]", press(keys), line...)
		require.Equal(t, code, got, "%q: %s", keys, out)
		require.Contains(t, out, "300.00 USDC in 60 rows")
		require.Contains(t, out, "L (N)", "the contact is shown by its label")
		require.Equal(t, "0", paid(), "the default is no")
	}

	p.must("sandbox", "faults", "createAutoTransfer=delay:100ms", "createAutoTransfer=status:422,times:2")
	out, code := s.terminal(nil, "[y/N]", press("y\r"), line...)
	require.Equal(t, 13, code, out)
	require.Contains(t, out, " of 60  ")
	require.NotContains(t, out[strings.LastIndex(out, "\x1b[J"):], " of 60  ", "the progress is removed at the end")
	require.Contains(t, out, "58 created, 2 refused")

	p.must("sandbox", "faults", "--clear")
	p.requireOnce(f, fileRows, p.must(withFlags(f.line, patient...)...))
}

// An import and its wait show their progress, too: how many accounts came to which end.
func TestTheProgressOfAnImport(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	require.NoError(t, s.command("sandbox", "faults", "createAccount=delay:200ms").Run())
	path := filepath.Join(t.TempDir(), "people.csv")
	people := "external_id,type,first_name,last_name,email,country\n"
	for i, tag := range []string{"", "", "", "+kyc-stuck", "+kyc-rejected", "+kyc-under-review", "", ""} {
		people += fmt.Sprintf("p-%d,individual,Ada,L,a%d%s@example.com,GB\n", i, i, tag)
	}
	require.NoError(t, os.WriteFile(path, []byte(people), 0o600))
	out, code := s.steps(s.command("accounts", "import", path, "--wait", "--timeout", "1m"),
		step{"5 approved", 0, nil}, step{"1 failed", 0, press("\x03")})
	require.Equal(t, 130, code, out)
	require.Regexp(t, `[1-7] of 8  .*[1-7] created`, out)
	require.NotRegexp(t, ` of 8 [^\n]*$`, out[strings.LastIndex(out, "\x1b[J"):], "it is removed at the end")
}
