// Package e2e tests the whole program. Each file in testdata is a session of the real program with the real reference
// service, as a user would type it.
package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
)

func TestMain(m *testing.M) {
	programs := shellPrograms()
	programs["payctl"] = func() {
		tellProcess()
		var rest []*refserver.Server
		newServer := func(config refserver.Config) (first *refserver.Server, err error) {
			first, rest, err = startServers(config, os.Getenv)
			return first, err
		}
		code := app.MainWith(checked(os.Args[1:]), shiftedClock, newServer)
		_ = closeServers(rest)
		os.Exit(code)
	}
	testscript.Main(sharing{m}, programs)
}

// processFile is the variable that names a file. A program that a test starts writes its process id to it, as JSON such
// as {"pid":123}: the shell of a scenario may not know the id.
const processFile = "PAYCTL_TEST_PID"

func tellProcess() {
	if path := os.Getenv(processFile); path != "" {
		if err := os.WriteFile(path, fmt.Appendf(nil, "{\"pid\":%d}\n", os.Getpid()), 0o600); err != nil {
			panic(err)
		}
	}
}

// clockFile is the variable that names a file. It has the time by which a program's clock is ahead, such as 25h.
const clockFile = "PAYCTL_TEST_CLOCK"

// shiftedClock is the clock of the programs that tests start.
func shiftedClock() time.Time {
	text, err := os.ReadFile(os.Getenv(clockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Now()
	}
	ahead, wrong := time.ParseDuration(strings.TrimSpace(string(text)))
	if err := errors.Join(err, wrong); err != nil {
		panic(err)
	}
	return time.Now().Add(ahead)
}

// raceSettings is the variable with the settings of the race detector. By default programs with it wait for a second
// before they exit.
const raceSettings = "GORACE"

// passedOn are the variables that a test passes on to its programs. GOCOVERDIR names a folder for their coverage.
var passedOn = []string{raceSettings, serversVariable, databaseVariable, "GOCOVERDIR"}

// inherited returns the part of the test's environment that every program gets, with more variables.
func inherited(more ...string) []string {
	own := []string{"PATH=" + os.Getenv("PATH")}
	for _, name := range passedOn {
		own = append(own, name+"="+os.Getenv(name))
	}
	return slices.Clip(slices.Concat(own, more))
}

// checked makes every service that a script starts check its responses against the contract.
func checked(args []string) []string {
	if len(args) > 0 && args[0] == "serve" {
		return slices.Insert(slices.Clone(args), 1, "--check")
	}
	return args
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata", serve(t)))
}

// scripts runs the scripts of a folder with a service at a URL.
func scripts(dir, url string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			script := filepath.Base(env.WorkDir)
			env.Setenv("PAYCTL_CONFIG_DIR", filepath.Join(env.WorkDir, "config"))
			env.Setenv("PAYCTL_BASE_URL", url)
			env.Setenv("PAYCTL_CLIENT_ID", script) // a world of its own
			env.Setenv("PAYCTL_CLIENT_SECRET", "secret-of-"+script)
			env.Setenv("PAYCTL_CREDENTIAL_STORE", "file")
			env.Setenv("HOME", env.WorkDir)
			for _, name := range passedOn {
				env.Setenv(name, os.Getenv(name))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"capture": capture,
			"answer":  answer,
			"envfile": envfile,
			"await":   await,
			"member":  setMember,
			"replace": replace,
			"until":   until,
			"proxy":   proxy(url),

			"certificate": certificate,
			"drifted":     drifted,
			"other":       other,
			"receiver":    receiver,

			"interrupt": background("interrupt", interrupt),
			"terminate": background("terminate", terminate),
		},
		RequireUniqueNames: true,
	}
}

// serve runs one reference service for all scripts, quick enough that they need not wait.
func serve(t *testing.T) string {
	return serveAs(t, quick)
}

// quick is the configuration of a service whose clients need not wait.
var quick = refserver.Config{Version: "test", KYCDelay: 1, SettleDelay: 1}

// serveAs runs a reference service until the test ends. All its responses must match the contract.
func serveAs(t *testing.T, config refserver.Config) string {
	_, url := serveWith(t, config, os.Getenv)
	return url
}

// serveWith is serveAs with the environment of startServers. It returns the first server too.
func serveWith(
	t *testing.T, config refserver.Config, getenv func(string) string,
) (service *refserver.Server, url string) {
	answers := server.NewCoverageRecorder(true, true, false)
	config.Check, config.OnResponse = true, answers.Record
	service, rest, err := startServers(config, getenv)
	require.NoError(t, err)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- service.Serve(t.Context(), listener, nil) }()
	t.Cleanup(func() { require.NoError(t, errors.Join(<-served, service.Close(), closeServers(rest))) })
	t.Cleanup(func() { require.Empty(t, answers.Report().Violations) }) // after the last script
	return service, "http://" + listener.Addr().String()
}

// exits runs a command that must end with an exit code: `exits 5 payctl accounts get unknown`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	wanted, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = failed.ExitCode()
	}
	if code != wanted {
		ts.Fatalf("exit code %d, not %d", code, wanted)
	}
}

// capture sets an environment variable to the output of the last command: `capture ACCOUNT`.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// proxy serves the service below a path prefix, as a gateway would, and nothing at other paths: `proxy NAME PREFIX`
// sets NAME to its URL.
func proxy(service string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 {
			ts.Fatalf("usage: proxy NAME PREFIX")
		}
		target, err := url.Parse(service)
		ts.Check(err)
		passOn := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
		mux := http.NewServeMux()
		mux.Handle(args[1]+"/", http.StripPrefix(args[1], passOn))
		serveCalls(ts, args[0], mux, args[1])
	}
}

// serveCalls serves requests until the script ends, and sets a variable to its URL with a path.
func serveCalls(ts *testscript.TestScript, name string, handler http.Handler, path string) {
	server := httptest.NewServer(handler)
	ts.Defer(server.Close)
	ts.Setenv(name, server.URL+path)
}

// envfile writes an environment variable to a file: `envfile FILE NAME`.
func envfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: envfile FILE NAME")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.Getenv(args[1])+"\n"), 0o600))
}

// await waits until a file has text, or text that matches a pattern: `await FILE [PATTERN]`.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await FILE [PATTERN]")
	}
	pattern := regexp.MustCompile(append(args, `\S`)[1])
	awaitText(ts, pattern, func() string {
		// The file may be absent. On Windows it may just be replaced.
		text, _ := os.ReadFile(ts.MkAbs(args[0]))
		return string(text)
	})
}

// until runs a command again and again until its output matches a pattern: `until PATTERN COMMAND [ARG…]`.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND [ARG…]")
	}
	awaitText(ts, regexp.MustCompile(args[0]), func() string {
		_ = ts.Exec(args[1], args[2:]...) // it may fail until then
		return ts.ReadFile("stdout")
	})
}

// betweenLooks gives a program on Windows time to replace a file, which it cannot do while the file is open.
const betweenLooks = 20 * time.Millisecond

// awaitText waits until a text matches a pattern.
func awaitText(ts *testscript.TestScript, pattern *regexp.Regexp, text func() string) {
	for end := time.Now().Add(longestWait); !pattern.MatchString(text()); <-time.After(betweenLooks) {
		if time.Now().After(end) {
			ts.Fatalf("the text does not match %q after %v: %q", pattern, longestWait, text())
		}
	}
}

// setMember sets a variable to a member of a JSON object in a file: `member URL ready.json url`.
func setMember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: member NAME FILE KEY")
	}
	var object map[string]jsontext.Value
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &object))
	value, ok := object[args[2]]
	if !ok {
		ts.Fatalf("%s has no %s", args[1], args[2])
	}
	text := string(value) // a number
	if value.Kind() == '"' {
		ts.Check(json.Unmarshal(value, &text))
	}
	ts.Setenv(args[0], text)
}

// replace copies a file and replaces all matches of a pattern: `replace PATTERN TEXT FROM TO`. FROM may be stdout.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: replace PATTERN TEXT FROM TO")
	}
	text := regexp.MustCompile(args[0]).ReplaceAllLiteralString(ts.ReadFile(args[2]), args[1])
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(text), 0o600))
}

// answer serves the same response to every request, like a broken service: `answer NAME STATUS TYPE FILE` sets NAME to
// its URL.
func answer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: answer NAME STATUS CONTENT-TYPE FILE")
	}
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	body := ts.ReadFile(args[3])
	serveCalls(ts, args[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", args[2])
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}), "")
}

// background applies do to a program that the script has started in the background: `interrupt` presses Ctrl-C for the
// first one that is left, `interrupt ready.json` for the first with this argument, and `interrupt 1234` for the program
// with this process id. Unlike kill -INT it works on Windows too.
func background(name string, do func(*os.Process) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) > 1 {
			ts.Fatalf("usage: %s [ARGUMENT or PID]", name)
		}
		if len(args) == 1 {
			if pid, err := strconv.Atoi(args[0]); err == nil {
				program, err := os.FindProcess(pid)
				ts.Check(err)
				ts.Check(do(program))
				return
			}
		}
		for _, cmd := range ts.BackgroundCmds() {
			if len(args) == 0 || slices.Contains(cmd.Args, args[0]) {
				ts.Check(do(cmd.Process))
				return
			}
		}
		ts.Fatalf("no such program runs in the background")
	}
}
