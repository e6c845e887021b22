package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/test/testkit"
)

// TestEveryCommandFailsForPrograms lets every command fail, in several ways: standard output is one JSON document,
// standard error tells a person, and the exit code stands in the table.
func TestEveryCommandFailsForPrograms(t *testing.T) {
	t.Parallel()
	broken, stop := fixed(http.StatusInternalServerError, "text/html", "<html>down</html>")
	t.Cleanup(stop)
	refusing, stop := fixed(http.StatusNotFound, "application/problem+json", `{"type": "https://x.example/problems/not-found", "title": "Gone.", "status": 404}`)
	t.Cleanup(stop)
	useless, stop := fixed(http.StatusOK, "application/json", `{"data": `)
	t.Cleanup(stop)
	for _, failing := range []struct {
		name, url string
		more      []string
		local     bool // commands that make no call fail too
	}{
		{"unreachable", "http://127.0.0.1:1", nil, false},
		{"unreachable with jq", "http://127.0.0.1:1", []string{"--jq", "."}, false},
		{"broken", broken, nil, false},
		{"refusing", refusing, nil, false},
		{"useless", useless, nil, false},
		{"misused", broken, []string{"--no-such-flag"}, true},
	} {
		t.Run(failing.name, func(t *testing.T) {
			t.Parallel()
			if (testkit.Raced || testing.Short()) && failing.name != "useless" {
				t.Skip("one way to fail has to do in the short run, and where the race detector makes programs slow to start")
			}
			for _, cmd := range commands(app.Command()) {
				if cmdutil.IsLocal(cmd) && !failing.local {
					continue
				}
				args := slices.Concat(wholeLine(t, cmd), endsSoon, []string{"--retries", "0"}, failing.more)
				credentials := []string{"PAYCTL_TOKEN=some-token"}
				if args[0] == "auth" { // it is about credentials that can be fetched
					credentials = []string{"PAYCTL_CLIENT_ID=someone", "PAYCTL_CLIENT_SECRET=secret"}
				}
				ended := runProgram(t, failing.url, credentials, append(args, "-o", "json"))
				require.Contains(t, exitCodes(t), ended.code, "%v", args)
				// Without a login there is none to forget, and what is deleted needs no answer that can be used.
				// A service of which nothing more can be told is no ill that the doctor knows, and any answer is one to ping.
				// What follows the feed ends well when its time is over.
				answered := cmd.Name() == "tail" || cmd.Name() == "listen" || cmd.Name() == "ping" && (failing.name == "refusing" || failing.name == "useless") ||
					cmd.Name() == "status" && failing.name == "refusing" // it may have the published operations alone
				if failing.local || cmd.Name() != "logout" && cmd.Name() != "delete" && (cmd.Name() != "doctor" || failing.name != "refusing") && !answered {
					require.NotZero(t, ended.code, "%v", args)
				}
				require.True(t, len(ended.stderr) > 0 || ended.code == 0, "%v", args)
				document := requireOneDocument(t, ended.stdout, args)
				if ended.code != 0 && (failing.local || cmd.Name() != "status" && cmd.Name() != "doctor" && cmd.Name() != "verify") { // what it reports of is what fails
					require.Contains(t, document, "title", "%v", args)
				}
			}
		})
	}
}

// TestLocalCommandsSendNothing runs the commands that need no service at one that nobody may ask.
func TestLocalCommandsSendNothing(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent", r.Method, r.URL)
	}))
	t.Cleanup(service.Close)
	for _, cmd := range commands(app.Command()) {
		if cmdutil.IsLocal(cmd) && !strings.HasPrefix(cmd.CommandPath(), "payctl serve") {
			runProgram(t, service.URL, []string{"PAYCTL_TOKEN=some-token"}, wholeLine(t, cmd))
		}
	}
}

// TestInterruptionsLeaveADocument interrupts what would go on for ever, once the service has begun to answer its request
// for events: before its first result, or after it.
func TestInterruptionsLeaveADocument(t *testing.T) {
	t.Parallel()
	url := serve(t)
	credentials := []string{"PAYCTL_CLIENT_ID=interrupted", "PAYCTL_CLIENT_SECRET=secret"}
	made := runProgram(t, url, credentials, []string{"accounts", "create", "--type", "individual", "--first-name", "Ada", "--last-name", "L",
		"--email", "ada@example.com", "--country", "GB", "-o", "json"})
	require.Zero(t, made.code, "%s", made.stderr)
	var account struct{ ID string }
	require.NoError(t, json.Unmarshal(made.stdout, &account))
	for _, line := range []string{"events tail", "events tail --after beginning", "kyc watch " + account.ID + " --until rejected"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			args := append(strings.Fields(line), "-o", "json")
			answered := make(chan struct{})
			service, err := neturl.Parse(url)
			require.NoError(t, err)
			passOn, once := httputil.NewSingleHostReverseProxy(service), sync.Once{}
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/events/") {
					w = noticed{w, func() { once.Do(func() { close(answered) }) }}
				}
				passOn.ServeHTTP(w, r)
			}))
			t.Cleanup(front.Close)
			command := newProgram(t, front.URL, credentials, args)
			require.NoError(t, command.Start())
			<-answered
			require.NoError(t, interrupt(command.Process))
			ended := command.wait()
			require.Equal(t, 130, ended.code, "%s", ended.stderr)
			require.NotEmpty(t, ended.stderr)
			requireOneDocument(t, ended.stdout, args)
		})
	}
}

// An ending is how a run of the program ended.
type ending struct {
	code           int
	stdout, stderr []byte
}

// endsSoon has a watch end that would go on for ever, or that waits until a service works again.
var endsSoon = []string{"--timeout", "1s"}

// runProgram runs the program in a folder of its own, to its end.
func runProgram(t *testing.T, url string, credentials, args []string) ending {
	command := newProgram(t, url, credentials, args)
	require.NoError(t, command.Start())
	return command.wait()
}

// A runningProgram is a run of the program whose output is kept.
type runningProgram struct {
	*exec.Cmd

	t              *testing.T
	stdout, stderr bytes.Buffer
}

// newProgram returns the program in a folder of its own, before its start.
func newProgram(t *testing.T, url string, credentials, args []string) *runningProgram {
	p := &runningProgram{Cmd: exec.CommandContext(t.Context(), "payctl", args...), t: t}
	p.Dir = t.TempDir()
	p.Env = append(os.Environ(), "PAYCTL_CONFIG_DIR="+t.TempDir(), "PAYCTL_BASE_URL="+url, "PAYCTL_CREDENTIAL_STORE=file")
	p.Env = append(p.Env, credentials...)
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// wait waits for the end of the program.
func (p *runningProgram) wait() ending {
	if err := p.Wait(); err != nil {
		_, failed := errors.AsType[*exec.ExitError](err)
		require.True(p.t, failed, "%v: %v", p.Args, err)
	}
	return ending{p.ProcessState.ExitCode(), p.stdout.Bytes(), p.stderr.Bytes()}
}

// noticed tells when something of a response is written.
type noticed struct {
	http.ResponseWriter

	wrote func()
}

func (n noticed) Write(text []byte) (int, error) {
	written, err := n.ResponseWriter.Write(text)
	n.wrote()
	return written, err
}

// Unwrap lets a response be flushed.
func (n noticed) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// commands lists the commands that do something.
func commands(cmd *cobra.Command) []*cobra.Command {
	var found []*cobra.Command
	for _, child := range cmd.Commands() {
		found = append(found, commands(child)...)
	}
	if len(found) == 0 && cmd.Runnable() && cmd.Name() != "help" {
		found = append(found, cmd)
	}
	return found
}

// wholeLine is a command line with something for each argument that the command's usage names in capitals.
func wholeLine(t *testing.T, cmd *cobra.Command) []string {
	args := strings.Fields(cmd.CommandPath())[1:]
	usage, _, _ := strings.Cut(cmd.Use, "--")
	for _, name := range strings.Fields(usage)[1:] {
		switch optional := strings.HasPrefix(name, "["); {
		case optional:
		case strings.HasPrefix(name, "FILE"):
			args = append(args, someFile(t))
		case strings.HasPrefix(name, "DURATION"):
			args = append(args, "1s")
		case strings.HasPrefix(name, "AMOUNT"):
			args = append(args, "1.00")
		case strings.IndexFunc(name, unicode.IsUpper) == 0:
			args = append(args, "some")
		}
	}
	if cmd.Name() == "resolve" {
		args = append(args, "some") // where nothing is open, nothing fails
	}
	return args
}

func someFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	return path
}

// exitCodes is the table as the program shows it.
func exitCodes(t *testing.T) []int {
	topic, _, err := app.Command().Find([]string{"exit-codes"})
	require.NoError(t, err)
	var codes []int
	for line := range strings.Lines(topic.Long) {
		var code int
		if decoder := json.NewDecoder(strings.NewReader(line)); decoder.Decode(&code) == nil {
			codes = append(codes, code)
		}
	}
	require.Greater(t, len(codes), 10)
	return codes
}

func requireOneDocument(t *testing.T, stdout []byte, args []string) any {
	decoder := json.NewDecoder(bytes.NewReader(stdout))
	var document any
	require.NoError(t, decoder.Decode(&document), "%v printed %q", args, stdout)
	require.ErrorIs(t, decoder.Decode(new(any)), io.EOF, "%v printed %q", args, stdout)
	if problem, ok := document.(map[string]any); ok && problem["status"] != nil {
		require.NotEqual(t, 0.0, problem["status"], "%v: no answer has the status 0", args)
	}
	return document
}
