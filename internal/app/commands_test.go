package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// fixed starts a service that gives the same answer to every request.
func fixed(t *testing.T, status int, contentType, body string) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestEveryCommandFailsForPrograms makes the service fail in several ways. Each command exits with a documented code,
// prints one JSON document, and tells people why on standard error.
func TestEveryCommandFailsForPrograms(t *testing.T) {
	t.Parallel()
	const nowhere, half = "http://127.0.0.1:1", `{"data": `
	follows := []string{"payctl auth logout", "payctl events tail", "payctl listen"} // no login; the others time out
	for name, c := range map[string]struct {
		url   string
		flags []string
		done  []string // the commands that succeed
	}{
		"unreachable": {nowhere, nil, follows},
		"with --jq":   {nowhere, []string{"--jq", "."}, follows},
		"broken":      {fixed(t, http.StatusInternalServerError, "text/html", "<html>down</html>"), nil, follows},
		"useless":     {fixed(t, http.StatusOK, "application/json", half), nil, append(follows, "payctl ping")},
		"refusing": {
			fixed(t, http.StatusNotFound, "application/problem+json", `{"title": "Gone.", "status": 404}`), nil,
			[]string{"payctl auth logout", "payctl auth status", "payctl doctor", "payctl ping"},
		},
		"misused": {nowhere, []string{"--no-such-flag"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var done []string
			for _, cmd := range commands(Command()) {
				if cmdutil.IsLocal(cmd) && name != "misused" {
					continue
				}
				u := newUser(t, c.url)
				if !strings.HasPrefix(cmd.CommandPath(), "payctl auth ") {
					u.env["PAYCTL_TOKEN"] = "some-token"
				}
				timeout := "5m"
				if slices.Contains([]string{"watch", "tail", "listen"}, cmd.Name()) {
					timeout = "300ms" // they wait until the service works again
				}
				line := append(wholeLine(t, cmd), "--retries", "0", "--timeout", timeout, "-o", "json")
				e := u.run(append(line, c.flags...)...)
				if e.code == cmdutil.ExitDone {
					done = append(done, cmd.CommandPath())
				} else {
					require.NotEmpty(t, e.stderr, line)
				}
				isCode := func(row cli.ExitCode) bool { return row.Code == e.code }
				require.True(t, slices.ContainsFunc(cli.ExitCodes(), isCode), "%d of %v", e.code, line)
				requireOneDocument(t, e.stdout, line)
			}
			require.ElementsMatch(t, c.done, done)
		})
	}
}

// requireOneDocument requires that a text is one JSON document.
func requireOneDocument(t *testing.T, text string, line []string) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	var document any
	require.NoError(t, decoder.Decode(&document), "%v printed %q", line, text)
	require.ErrorIs(t, decoder.Decode(new(any)), io.EOF, "%v printed %q", line, text)
	if problem, ok := document.(map[string]any); ok && problem["status"] != nil {
		require.NotEqual(t, 0.0, problem["status"], "%v: no answer has the status 0", line)
	}
}

// TestLocalCommandsSendNothing runs the commands that need no service. A request to the service fails the test.
func TestLocalCommandsSendNothing(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent", r.Method, r.URL)
	}))
	t.Cleanup(service.Close)
	for _, cmd := range commands(Command()) {
		if cmdutil.IsLocal(cmd) && !strings.HasPrefix(cmd.CommandPath(), "payctl serve") {
			newUser(t, service.URL).run(wholeLine(t, cmd)...)
		}
	}
}

// TestWrongLinesEndWithANextStep runs lines that payctl does not accept. The error names what is wrong and proposes
// next steps with commands that exist. A step that ends in "!" works as it is.
func TestWrongLinesEndWithANextStep(t *testing.T) {
	t.Parallel()
	url := paytest.Run(t, refserver.Config{}).URL
	for _, c := range []struct{ line, names, next string }{
		{"trasnfer list --limit 1", `no command "trasnfer"`, "did you mean payctl transfer?"},
		{"account lits", `no command "lits"`, "did you mean payctl accounts list?!"},
		{"help transfer lisst", `no command "lisst"`, "did you mean payctl transfer list?!"},
		{"frobnicate", `no command "frobnicate"`, "payctl --help!"},
		{"transfer trf_1", `no command "trf_1"`, "payctl transfer --help!"},
		{"serve postgres://ada:open-sesame@db/payctl", "takes no argument", "put -- before a command to run"},
		{"serve --data postgres://ada:open-sesame@db/payctl", "--data names a folder", "payctl serve --database URL"},
		{"auth login --client-secret open-sesame", "Unknown flag: --client-secret", "payctl auth login --help!"},
		{"accounts list --statsu pending", "Unknown flag: --statsu", "did you mean --status?"},
		{"transfer list --reference ''", "--reference was given an empty value", "whether a variable is not set"},
		{"accounts list --limit many", `--limit: "many"`, "payctl accounts list --help!"},
		{"accounts list --base-url payments.example", "a base URL begins with https://", "payctl help flags!"},
		{"accounts list --jq .[", `--jq expression ".[": unexpected EOF`, "payctl accounts list --help!"},
		{"kyc watch acc_1 --until aproved", `--until does not take "aproved"`, "did you mean approved?"},
		{"transfer list --columns id,stat", `--columns does not take "stat"`, "did you mean state?"},
		{"transfer create", "missing: --contact, --route", "payctl transfer auto --contact CONTACT --route ROUTE"},
		{"accounts get ''", "was given an empty ACCOUNT", "whether a variable is not set"},
		{"accounts list acc_1", `no argument "acc_1"`, "payctl accounts list --help!"},
		{"accounts import absent.csv", "absent.csv", "payctl accounts import --help"},
		{
			"transfer auto --contact sct_1 --route 'base:USDC->sepa:EUR' --amount 1,50", "--amount must be",
			"payctl transfer auto --help!",
		},
	} {
		u := newUser(t, url)
		e := u.run(shellWords(c.line)...)
		require.Equal(t, cmdutil.ExitUsage, e.code, "%s: %s", c.line, e.stderr)
		require.Contains(t, e.stderr, c.names)
		require.NotContains(t, e.stderr+e.stdout, "open-sesame")
		_, steps, _ := strings.Cut(e.stderr, "Next:\n")
		next, works := strings.CutSuffix(c.next, "!")
		if runtime.GOOS != "windows" || !strings.Contains(c.line, "--columns") { // a comma makes a list in PowerShell
			require.Contains(t, steps, next)
		}
		for step := range strings.Lines(steps) {
			_, command, isCommand := strings.Cut(step, "payctl ")
			if !isCommand {
				continue
			}
			command, _, _ = strings.Cut(strings.TrimSpace(command), "   (")
			args := shellWords(strings.TrimSuffix(optional.ReplaceAllString(command, ""), "?"))
			require.NoError(t, accepts(args), step)
			if works && strings.Contains(step, next) {
				u.must(args...)
			}
		}
	}
}

// optional matches the optional part of a usage.
var optional = regexp.MustCompile(` \[[^\]]*\]`)

// wholeLine returns a command line with a value for each argument that the usage names in capitals.
func wholeLine(t *testing.T, cmd *cobra.Command) []string {
	t.Helper()
	line := strings.Fields(cmd.CommandPath())[1:]
	usage, _, _ := strings.Cut(cmd.Use, "--")
	for _, name := range strings.Fields(usage)[1:] {
		switch {
		case strings.HasPrefix(name, "FILE"):
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
			line = append(line, path)
		case strings.HasPrefix(name, "DURATION"):
			line = append(line, "1s")
		case strings.HasPrefix(name, "AMOUNT"):
			line = append(line, "1.00")
		case strings.IndexFunc(name, unicode.IsUpper) == 0:
			line = append(line, "some")
		}
	}
	if cmd.Name() == "resolve" {
		line = append(line, "some") // without an argument it succeeds if nothing is unresolved
	}
	return line
}
