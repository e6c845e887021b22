package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A commandRequests is a command line and the requests that it is expected to send.
type commandRequests struct {
	keep     string // the variable that keeps what the command prints; empty: none
	line     string
	fails    bool
	requests []string
}

// readRequests reads testdata/requests.list, whose first lines describe it.
func readRequests(t *testing.T) (all []commandRequests) {
	content, err := os.ReadFile(filepath.Join("testdata", "requests.list"))
	require.NoError(t, err)
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\n")
		request, isRequest := strings.CutPrefix(line, "  ")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case isRequest:
			last := &all[len(all)-1]
			last.requests = append(last.requests, request)
		default:
			c := commandRequests{}
			c.line, c.fails = strings.CutPrefix(line, "! ")
			if name, rest, ok := strings.Cut(c.line, "="); ok && strings.ToUpper(name) == name {
				c.keep, c.line = name, rest
			}
			all = append(all, c)
		}
	}
	return all
}

// notRun are commands that call the service and are not in the table, and why.
var notRun = map[string]string{
	"payctl events tail": "it goes on asking for events until it is interrupted",
}

// TestNoRequestWasNotAskedFor runs each command and compares the requests that arrive with the table: no command
// probes the service, looks for a newer version, or reads a thing twice.
func TestNoRequestWasNotAskedFor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts the program once for each line of a long table")
	}
	a := newAsker(t)
	var ran strings.Builder
	for _, c := range readRequests(t) {
		require.ElementsMatch(t, c.requests, a.run(c), c.line) // doctor sends some at once
		ran.WriteString(c.line + "\n")
	}
	for _, cmd := range commands(app.Command()) {
		path := strings.TrimPrefix(cmd.CommandPath(), "payctl ")
		switch {
		case path == "serve" || strings.HasPrefix(path, "serve "): // they are a service
		case cmdutil.IsLocal(cmd):
			ended := runProgram(t, a.url, []string{"PAYCTL_TOKEN=" + a.token}, invocation(t, cmd))
			require.Empty(t, a.arrived(), "%s: %s", path, ended.stderr)
		case notRun[cmd.CommandPath()] == "":
			if !regexp.MustCompile(`(?m)^` + path + `\b`).MatchString(ran.String()) {
				t.Errorf("no line of testdata/requests.list runs %q", path)
			}
		}
	}
}

// An asker runs commands against a service whose requests it records.
type asker struct {
	t           *testing.T
	url, token  string
	environment []string
	values      map[string]string
	mutex       sync.Mutex
	requests    []string
}

func newAsker(t *testing.T) *asker {
	folder := t.TempDir()
	a := &asker{t: t, values: map[string]string{"FOLDER": folder}}
	service := paytest.Run(t, refserver.Config{KYCDelay: 1, SettleDelay: 1})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		a.requests = append(a.requests, r.Method+" "+r.URL.RequestURI())
		a.mutex.Unlock()
		service.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	a.url = front.URL
	a.environment = inherited("HOME="+folder, "PAYCTL_CONFIG_DIR="+folder, "PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_BASE_URL="+a.url)
	got := runProgram(t, a.url, []string{"PAYCTL_CLIENT_ID=asked", "PAYCTL_CLIENT_SECRET=secret"}, []string{"auth", "token"})
	require.Zero(t, got.code, "%s", got.stderr)
	require.Len(t, a.arrived(), 1)
	a.token = strings.TrimSpace(string(got.stdout))
	return a
}

// arrived returns the requests since the last call.
func (a *asker) arrived() (requests []string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	requests, a.requests = a.requests, nil
	return requests
}

// inputs are the files of the lines.
var inputs = map[string]string{
	"rows.csv": "reference,contact,route,amount\nr-1,$CONTACT,base:USDC->sepa:EUR,5\nr-2,$CONTACT,base:USDC->sepa:EUR,5\n",
	"people.csv": "external_id,type,first_name,last_name,email,country\np-1,individual,Ada,L,ada@example.com,GB\n" +
		"p-2,individual,Bo,L,bo@example.com,GB\n",
	"contacts.csv": "external_id,account,label,holder_name,holder_type,rail,currency,iban\n" +
		"c-1,$ACCOUNT,Bo,Bo L,individual,sepa,EUR,DE89370400440532013000\n",
}

// run runs a line and returns its requests, with variables in place of what they stand for.
func (a *asker) run(c commandRequests) []string {
	expand := func(text string) string {
		return os.Expand(text, func(name string) string { return a.values[name] })
	}
	for name, content := range inputs {
		require.NoError(a.t, os.WriteFile(expand("$FOLDER/"+name), []byte(expand(content)), 0o600))
	}
	command := exec.CommandContext(a.t.Context(), "payctl", strings.Fields(expand(c.line))...)
	command.Env = append(slices.Clip(a.environment), "PAYCTL_TOKEN="+a.token)
	if strings.HasPrefix(c.line, "auth ") {
		command.Env, command.Stdin = a.environment, strings.NewReader("secret\n")
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	require.Equal(a.t, c.fails, err != nil, "%s: %v: %s", c.line, err, &stderr)
	if c.keep != "" {
		a.values[c.keep] = strings.TrimSpace(string(printed))
	}
	requests := a.arrived()
	for i := range requests {
		for name, text := range a.values {
			requests[i] = strings.ReplaceAll(requests[i], text, "$"+name)
		}
		requests[i] = madeUp.ReplaceAllString(requests[i], "$1…")
	}
	return requests
}

// madeUp are texts in requests that the service or payctl makes up.
var madeUp = regexp.MustCompile(`((?:acc|sct|evt|bat)_)\w+`)
