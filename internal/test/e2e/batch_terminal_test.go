package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFileAtATerminal answers the question that stands before a batch, and presses Ctrl-C.
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

	p.must("sandbox", "faults", "createAutoTransfer=delay:300ms")
	out, code := s.steps(s.command(line...), step{"[y/N]", 0, press("y\r")}, step{"s left", 0, press("\x03")})
	require.Equal(t, 130, code, out)
	require.Contains(t, out, "Finishing the rows that are being sent")
	require.Contains(t, out, "0 unknown", "what was under way was finished")
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	require.Equal(t, 1+fileRows, strings.Count(string(text), "\n"))

	p.must("sandbox", "faults", "--clear")
	out, code = s.terminal(nil, "[y/N]", press("y\r"), line...)
	require.Zero(t, code, out)
	p.requireOnce(f, fileRows, p.must(withFlags(f.line, patient...)...))
}

// The progress is there from its first drawing to the end, whatever is printed above it, and nothing of it is left.
func TestTheProgressOfAFileIsNeverMissing(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for name, c := range map[string]struct {
		args   []string
		env    []string
		toFile bool
	}{
		"report":        {args: []string{"--report", filepath.Join(t.TempDir(), "report.csv")}},
		"same terminal": {args: []string{"-o", "csv"}},
		"file":          {args: []string{"-o", "ndjson"}, toFile: true},
		"wait":          {args: []string{"--wait", "-o", "csv"}},
		"no colours":    {args: []string{"-o", "csv"}, env: []string{"NO_COLOR=1", "LC_ALL=C"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && c.toFile {
				t.Skip("a pseudo console gives a program all streams")
			}
			p := newPayer(t, url)
			s := &session{machine: p.machine}
			p.must("sandbox", "faults", "createAutoTransfer=delay:100ms", "createAutoTransfer=status:422,times:2")
			cmd := s.with(c.env...).command(append([]string{"transfer", "batch", p.transfers(fileRows).line[2], "--yes", "--concurrency", "8"}, c.args...)...)
			var file *os.File
			if c.toFile {
				var err error
				file, err = os.Create(filepath.Join(t.TempDir(), "rows"))
				require.NoError(t, err)
				defer file.Close()
				cmd.Stdout = file
			}
			out, code := s.steps(cmd)
			require.Equal(t, 13, code, out)
			const drawn, erased = " of 60  ", "\r\x1b[J"
			require.Contains(t, out, drawn)
			_, shown, _ := strings.Cut(out, drawn)
			pieces := strings.Split(shown, erased)
			for i, piece := range pieces[1:max(len(pieces)-1, 1)] {
				require.Contains(t, piece, " of ", "after the line was erased for the %d. time, it is drawn at once: %q", i, piece)
			}
			require.NotContains(t, pieces[len(pieces)-1], drawn, "it is removed at the end")
			text := regexp.MustCompile(`\r[^\r\n]*\x1b\[J\r?`).ReplaceAllString(out, "")
			require.NotContains(t, text, drawn)
			require.Contains(t, text, "58 created, 2 refused")
			rows := strings.Count(text, ",created,")
			if c.toFile {
				whole, err := os.ReadFile(file.Name())
				require.NoError(t, err)
				require.NotContains(t, string(whole), "\x1b")
				rows = strings.Count(string(whole), `"outcome":"created"`)
			}
			if name == "report" {
				rows = 58
			}
			require.Equal(t, 58, rows, "the rows are whole")
		})
	}
}

// An import and the wait behind it show their progress, too: what has come to which end.
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
