package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/test/paytest"
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
			if paytest.Raced && failing.name != "useless" {
				t.Skip("under the race detector programs take long to start; one way to fail has to do")
			}
			for _, cmd := range commands(app.Command()) {
				if cmdutil.IsLocal(cmd) && !failing.local {
					continue
				}
				args := slices.Concat(invocation(t, cmd), []string{"--retries", "0"}, failing.more)
				credentials := []string{"PAYCTL_TOKEN=some-token"}
				if args[0] == "auth" { // it is about credentials that can be fetched
					credentials = []string{"PAYCTL_CLIENT_ID=someone", "PAYCTL_CLIENT_SECRET=secret"}
				}
				ended := runProgram(t, failing.url, credentials, append(args, "-o", "json"))
				require.Contains(t, exitCodes(t), ended.code, "%v", args)
				// Without a login there is none to forget, and what is deleted needs no answer that can be used.
				// A service of which nothing more can be told is no ill that the doctor knows, and any answer is one to ping.
				answered := cmd.Name() == "ping" && (failing.name == "refusing" || failing.name == "useless")
				if failing.local || cmd.Name() != "logout" && cmd.Name() != "delete" && (cmd.Name() != "doctor" || failing.name != "refusing") && !answered {
					require.NotZero(t, ended.code, "%v", args)
				}
				require.True(t, len(ended.stderr) > 0 || ended.code == 0, "%v", args)
				document := requireOneDocument(t, ended.stdout, args)
				if ended.code != 0 && (failing.local || cmd.Name() != "status" && cmd.Name() != "doctor") { // what it reports of is what fails
					require.Contains(t, document, "title", "%v", args)
				}
			}
		})
	}
}

// TestInterruptionsLeaveADocument interrupts what would go on for ever, before and after its first result.
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
			ended := runProgram(t, url, credentials, args)
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

// runProgram runs the program in a folder of its own. One that goes on trying is interrupted, as by its user. On a busy
// machine it may not have begun by then, so that the signal kills it: then it is run again, and given more time.
func runProgram(t *testing.T, url string, credentials, args []string) ending {
	const killed, longest = -1, time.Minute
	patience := 2 * time.Second
	ended := runFor(t, patience, url, credentials, args)
	for ended.code == killed && patience < longest {
		patience *= 3
		ended = runFor(t, patience, url, credentials, args)
	}
	return ended
}

// runFor runs the program, and interrupts it after a time.
func runFor(t *testing.T, patience time.Duration, url string, credentials, args []string) ending {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "payctl", args...)
	command.Cancel = func() error { return interrupt(command.Process) }
	command.WaitDelay = time.Minute
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "PAYCTL_CONFIG_DIR="+t.TempDir(), "PAYCTL_BASE_URL="+url, "PAYCTL_CREDENTIAL_STORE=file")
	command.Env = append(command.Env, credentials...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		_, failed := errors.AsType[*exec.ExitError](err)
		require.True(t, failed || errors.Is(err, context.DeadlineExceeded), "%v: %v", args, err)
	}
	return ending{command.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}
}

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

// invocation is a command line with something for each argument that the command's usage names in capitals.
func invocation(t *testing.T, cmd *cobra.Command) []string {
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
