//go:build !windows

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/require"
)

// A liveScreen is a terminal on which a program runs. A person would see what text returns.
type liveScreen struct {
	t        *testing.T
	cmd      *exec.Cmd
	keyboard *os.File
	read     chan struct{} // closed when the program has closed its terminal

	mu      sync.Mutex
	shown   vt10x.Terminal
	written bytes.Buffer
	changed chan struct{}
}

// open runs the program on a screen of a size.
func (s *session) open(columns, rows int, env []string, args ...string) *liveScreen {
	s.t.Helper()
	l := &liveScreen{
		t: s.t, cmd: s.command(env, args...), read: make(chan struct{}), changed: make(chan struct{}, 1),
		shown: vt10x.New(vt10x.WithSize(columns, rows)),
	}
	var err error
	l.keyboard, err = pty.StartWithSize(l.cmd, &pty.Winsize{Cols: uint16(columns), Rows: uint16(rows)})
	if err != nil {
		s.t.Skipf("no pseudo-terminal to be had: %v", err)
	}
	go func() {
		defer close(l.read)
		chunk := make([]byte, 4096)
		for {
			n, err := l.keyboard.Read(chunk)
			l.mu.Lock()
			l.written.Write(chunk[:n])
			_, _ = l.shown.Write(chunk[:n])
			l.mu.Unlock()
			select {
			case l.changed <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	s.t.Cleanup(func() {
		_ = l.cmd.Process.Kill()
		<-l.read
		_ = l.keyboard.Close()
	})
	return l
}

func (l *liveScreen) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown.String()
}

// until waits until the screen is as wanted.
func (l *liveScreen) until(what string, is func() bool) {
	l.t.Helper()
	over := time.After(time.Minute)
	for !is() {
		select {
		case <-l.changed:
		case <-l.read:
			if !is() {
				l.t.Fatalf("the program has ended without %s, with\n%s", what, l.text())
			}
		case <-over:
			l.t.Fatalf("never saw %s, but\n%s", what, l.text())
		}
	}
}

// see waits until the screen shows a text that matches a pattern.
func (l *liveScreen) see(pattern string) {
	l.t.Helper()
	wanted := regexp.MustCompile(pattern)
	l.until(pattern, func() bool { return wanted.MatchString(l.text()) })
}

// gone waits until the screen no longer shows a text.
func (l *liveScreen) gone(text string) {
	l.t.Helper()
	l.until("the end of "+text, func() bool { return !strings.Contains(l.text(), text) })
}

func (l *liveScreen) press(keys string) {
	l.t.Helper()
	_, err := l.keyboard.WriteString(keys)
	require.NoError(l.t, err)
}

// clipboard waits for the n-th text that was copied.
func (l *liveScreen) clipboard(n int) string {
	l.t.Helper()
	copied := regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]*)[\x07\x1b]`)
	var all [][][]byte
	l.until("a text in the clipboard", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		all = copied.FindAllSubmatch(bytes.Clone(l.written.Bytes()), -1)
		return len(all) >= n
	})
	text, err := base64.StdEncoding.DecodeString(string(all[n-1][1]))
	require.NoError(l.t, err)
	return string(text)
}

// quit closes the view, and returns the exit code.
func (l *liveScreen) quit() int {
	l.press("q")
	<-l.read
	_ = l.cmd.Wait() // the exit code has it
	return l.cmd.ProcessState.ExitCode()
}

// noDesktop is an environment in which links cannot be opened.
var noDesktop = []string{"DISPLAY=", "WAYLAND_DISPLAY=", "BROWSER=", "WSL_DISTRO_NAME="}

const (
	esc     = "\x1b"
	selects = "▸.*" // before the identifier of the selected row
)

// run runs the program without a terminal and returns its output.
func (s *session) output(args ...string) string {
	s.t.Helper()
	out, err := s.command(nil, args...).Output()
	require.NoError(s.t, err, "%v", args)
	return strings.TrimSpace(string(out))
}

// resubmitting makes an account that has to submit its document again.
func (s *session) resubmitting() string {
	s.t.Helper()
	account := s.create("rob+kyc-resubmission@example.com")
	s.output("kyc", "watch", account, "--until", "resubmission_required")
	return account
}

// TestSubmitInTheLiveView: what a check requires is asked for, its file is found by Tab, mistakes are told at once, and
// nothing is sent before it is confirmed.
func TestSubmitInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.resubmitting()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "passport.jpg"), []byte("picture"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "pass-folder"), 0o700))
	attempt := func() string { return s.output("kyc", "get", account, "--jq", ".attempt") }

	l := s.open(120, 30, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	l.press("s")
	l.see("identity_document: a file")
	l.press(folder + "/pa\t\t")
	l.see("pass-folder/ +passport.jpg")
	l.press("p\t\r")
	l.see("passport.jpg, 7 bytes, image/jpeg")
	l.see("Submit this for " + account)
	l.press("\r") // is no answer
	l.press("n")
	l.see("enter details")
	require.Equal(t, "1", attempt(), "nothing was sent")

	l.press("s")
	l.see("identity_document: a file")
	l.press("no-such.jpg\r")
	l.see("no such file")
	l.see("> no-such.jpg") // what was entered stays
	l.press("\x15" + folder + "\r")
	l.see("it is a directory")
	l.press("\x15'" + folder + "/passport.jpg' \r") // as a terminal has it that a file is dragged to
	l.see("Submit this for")
	l.press("y")
	l.see("Submitted; " + account + " is pending now")
	require.Equal(t, "2", attempt())

	require.Zero(t, l.quit())
}

// TestSubmitTellsWhichAnswerIsWrong: the service refuses an answer. It can be corrected; the others are not asked for again.
func TestSubmitTellsWhichAnswerIsWrong(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.output("accounts", "create", "--type", "business", "--legal-name", "Example Ltd", "--email", "pay@example.com",
		"--country", "GB", "--jq", ".id")
	l := s.open(100, 30, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	l.press("s")
	l.see("registrationNumber: a value")
	l.press("\r") // left out
	l.see("[Nn]othing was entered")
	l.press("s")
	l.see("registrationNumber: a value")
	l.press(strings.Repeat("7", 60) + "\r")
	l.see("Submit this for")
	l.press("y")
	l.see("registrationNumber must be a registration number of 1 to 50 characters")
	l.press("\x15" + "01234567\r")
	l.see("registrationNumber: 01234567")
	l.press("y")
	l.see("Submitted; ")
	require.Zero(t, l.quit())
}

// proxied serves a service, except for the requests that the function takes.
func proxied(t *testing.T, service string, takes func(w http.ResponseWriter, r *http.Request) bool) string {
	t.Helper()
	target, err := url.Parse(service)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, FlushInterval: -1}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !takes(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.URL
}

func isSubmission(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/kyc/submissions/")
}

// TestSubmissionThatIsKilled: the journal has a submission before it leaves, so that it can be sent again after kill -9, and
// has its effect once.
func TestSubmissionThatIsKilled(t *testing.T) {
	t.Parallel()
	service := serve(t)
	arrived, ended := make(chan string, 10), make(chan struct{})
	var holds atomic.Bool
	holds.Store(true)
	s := newSession(t, proxied(t, service, func(_ http.ResponseWriter, r *http.Request) bool {
		if !isSubmission(r) || !holds.Load() {
			return false
		}
		arrived <- r.Header.Get("Idempotency-Key")
		<-ended
		return true
	}))
	defer close(ended)
	account := s.resubmitting()
	folder := t.TempDir()
	passport := filepath.Join(folder, "passport.jpg")
	require.NoError(t, os.WriteFile(passport, []byte("picture"), 0o600))
	l := s.open(100, 30, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	l.press("s")
	l.see("identity_document: a file")
	l.press(passport + "\r")
	l.see("Submit this for")
	l.press("y")
	key := <-arrived
	l.see("submit …")
	require.NoError(t, l.cmd.Process.Kill())
	<-l.read

	holds.Store(false)
	listed, _ := s.command(nil, "transfer", "resolve", "--list", "-o", "json").Output() // it exits with 10
	require.Contains(t, string(listed), key)
	for range 2 {
		out, err := s.command(nil, "kyc", "submit", account, "--file", "identity_document="+passport, "--idempotency-key", key).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Equal(t, "2", s.output("kyc", "get", account, "--jq", ".attempt"))
}

// TestSubmissionWhoseOutcomeIsUnknown: what was entered is kept, and trying again sends the same write.
func TestSubmissionWhoseOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	service := serve(t)
	var mu sync.Mutex
	var keys []string
	var breaks atomic.Bool
	breaks.Store(true)
	s := newSession(t, proxied(t, service, func(_ http.ResponseWriter, r *http.Request) bool {
		if !isSubmission(r) {
			return false
		}
		mu.Lock()
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		mu.Unlock()
		if breaks.Load() {
			panic(http.ErrAbortHandler) // the connection breaks before there is an answer
		}
		return false
	}))
	account := s.resubmitting()
	passport := filepath.Join(t.TempDir(), "passport.jpg")
	require.NoError(t, os.WriteFile(passport, []byte("picture"), 0o600))
	l := s.open(140, 30, append(noDesktop, "PAYCTL_RETRIES=0", "PAYCTL_TIMEOUT=2s"), "kyc", "watch", "--all")
	l.see(selects + account)
	l.press("s")
	l.see("identity_document: a file")
	l.press(passport + "\r")
	l.see("Submit this for")
	l.press("y")
	l.see("t  try again")
	l.see("--idempotency-key payctl-")
	breaks.Store(false)
	l.press("t")
	l.see("Submitted; ")
	require.Zero(t, l.quit())
	mu.Lock()
	defer mu.Unlock()
	require.Greater(t, len(keys), 1)
	for _, key := range keys {
		require.Equal(t, keys[0], key)
	}
}

// TestLinksInTheLiveView: a link is opened by the program of the desktop, as one argument, after its host has been confirmed
// once; without a desktop it is copied.
func TestLinksInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.resubmitting()
	link := s.output("kyc", "get", account, "--jq", ".verificationUrl")
	l := s.open(100, 24, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	l.press("o")
	l.see("Copied the link")
	require.Equal(t, link, l.clipboard(1))
	require.Zero(t, l.quit())

	folder := t.TempDir()
	called := filepath.Join(folder, "called")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "xdg-open"),
		[]byte("#!/bin/sh\necho disturbs the screen; echo \"$# $1 $PAYCTL_CLIENT_SECRET\" >>"+called+"\n"), 0o700))
	l = s.open(100, 24, []string{"DISPLAY=:99", "BROWSER=", "PATH=" + folder + ":" + os.Getenv("PATH")}, "kyc", "watch", "--all")
	l.see(selects + account)
	l.press("o")
	l.see("Host: verify.payctl.example")
	l.press(esc)
	l.see("enter details")
	require.NoFileExists(t, called)
	l.press("o")
	l.see("Host: ")
	l.press("y")
	l.see("Opened the page at verify.payctl.example")
	l.press("j") // the answer goes away
	l.gone("Opened the page")
	l.press("o")
	l.see("Opened the page")
	require.Zero(t, l.quit())
	text, err := os.ReadFile(called)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("1 "+link+" \n", 2), string(text))
	require.NotContains(t, l.written.String(), "disturbs")
}

// TestHostileLinks: a link that does not lead to where it seems to lead is neither opened nor copied, and what is copied of
// a hostile account controls no terminal and no shell.
func TestHostileLinks(t *testing.T) {
	t.Parallel()
	var link atomic.Value
	service := serve(t)
	s := newSession(t, proxied(t, service, func(w http.ResponseWriter, r *http.Request) bool {
		text := link.Load()
		if text == nil || !strings.HasSuffix(r.URL.Path, "/kyc/v1") {
			return false
		}
		quoted, _ := json.Marshal(text)
		evilText, _ := json.Marshal(evil)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"accountId":"acc_1","status":"resubmission_required","level":"basic","attempt":1,"reasons":[{"code":%[2]s,"message":%[2]s}],`+
			`"requirements":[{"name":%[2]s,"status":"open"}],"verificationUrl":%[1]s,"updatedAt":"2026-01-01T00:00:00Z"}`, quoted, evilText)
		return true
	}))
	account := s.resubmitting()
	link.Store("https://a.example/")
	folder := t.TempDir()
	called := filepath.Join(folder, "called")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\necho \"$@\" >>"+called+"\n"), 0o700))
	l := s.open(100, 40, []string{"DISPLAY=:99", "BROWSER=", "PATH=" + folder + ":" + os.Getenv("PATH")}, "kyc", "watch", "--all")
	l.see(selects + account)
	for text, why := range map[string]string{
		"file:///etc/passwd":              "does not begin with",
		"javascript:alert(1)":             "does not begin with",
		"--version":                       "does not begin with",
		"https://good.example@evil.test/": "user name",
		"https://xn--pple-43d.test/":      "xn--",
		"https://a.test/\x1b]0;x\x07":     "characters that no link has",
	} {
		link.Store(text)
		l.press("o")
		l.see(why)
		l.press("\r")
		l.gone(why)
		l.press("y")
		l.see("Copy what of")
		l.press("l")
		l.see(why)
		l.press("\r")
		l.gone(why)
	}
	require.NoFileExists(t, called)
	for n, what := range []string{"reply", "JSON"} {
		l.press("y")
		l.see("Copy what of")
		l.press(strings.ToLower(what[:1]))
		harmless(t, l.clipboard(n+1), what)
		l.gone("Copy what of")
	}
	l.press("s")
	l.see("a value|a file")
	l.press("x\r")
	l.see("Submit this for|is larger|cannot be read")
	l.press(esc)
	require.NotContains(t, l.written.String(), "\x1b]0;title")
}

// TestCopyInTheLiveView: the parts of a case, for a ticket or a shell.
func TestCopyInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.resubmitting()
	l := s.open(100, 24, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	copied := 0
	take := func(key string) string {
		l.press("y")
		l.see("Copy what of " + account)
		l.press(key)
		l.see("Copied: ")
		copied++
		return l.clipboard(copied)
	}
	require.Equal(t, account, take("i"))
	require.Equal(t, "payctl kyc get "+account, take("c"))
	require.Equal(t, s.output("kyc", "get", account, "--jq", ".verificationUrl"), take("l"))
	require.Equal(t, s.output("kyc", "get", account, "-o", "json"), strings.TrimSpace(take("j")))
	reply := take("r")
	for _, part := range []string{
		"Hello,\n", "your account " + account + " needs corrected information from you, since ",
		"- The picture of the identity document cannot be read.", "- Upload your identity document, by ", "https://verify.payctl.example/" + account,
	} {
		require.Contains(t, reply, part)
	}
	require.NotContains(t, reply, "Ada")
	l.press("y")
	l.see("Copy what of")
	l.press("e")
	l.see("personal data: press P first")
	l.press("y")
	l.see("Copy what of")
	l.press(esc)
	l.see("enter details")
	require.Zero(t, l.quit())
}

// TestProgramOnChosenRows: the program of --exec is run for the marked rows, with their present statuses.
func TestProgramOnChosenRows(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	rejected, approved := s.create("eve+kyc-rejected@example.com"), s.create("ada@example.com")
	s.output("kyc", "watch", rejected, approved, "--until", "rejected,approved")
	file := filepath.Join(t.TempDir(), "runs")
	script := `echo "$PAYCTL_EVENT_SUBJECT_ID|$PAYCTL_EVENT_FROM|$PAYCTL_EVENT_TO|$PAYCTL_EVENT_REASONS" >>` + file +
		`; test -n "$PAYCTL_EVENT_REASONS" || exit 7`
	l := s.open(100, 24, noDesktop, "kyc", "watch", "--all", "--exec", "sh", "--", "-c", script)
	l.see(selects + rejected)
	lines := func() []string {
		text, _ := os.ReadFile(file)
		return strings.Fields(string(text))
	}
	l.until("the runs of the first statuses", func() bool { return len(lines()) == 2 })
	l.press("!")
	l.see("The program ran for 1 account")
	want := rejected + "||rejected|suspected_fraud_document"
	require.Equal(t, want, lines()[2])
	l.press(" j !") // both are marked
	l.see("Run the program for 2 accounts")
	l.press("n")
	l.see("enter details")
	require.Len(t, lines(), 3)
	l.press("!")
	l.see("Run the program for 2 accounts")
	l.press("y")
	l.see("ran for 2 accounts, 1 failed")
	l.see("exit status 7")
	require.ElementsMatch(t, []string{want, approved + "||approved|"}, lines()[3:])
	l.press("\r")
	require.Equal(t, 1, l.quit(), "the run for the first status has failed")

	l = s.open(100, 24, noDesktop, "kyc", "watch", "--all")
	l.see(selects)
	l.press("!")
	l.see("start with --exec COMMAND")
	require.Zero(t, l.quit())
}

// TestSandboxInTheLiveView: a sandbox offers the legal transitions. Any other service has none.
func TestSandboxInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	review, stuck := s.create("sam+kyc-under-review@example.com"), s.create("bob+kyc-stuck@example.com")
	s.output("kyc", "watch", review, "--until", "under_review")
	l := s.open(100, 24, noDesktop, "kyc", "watch", "--all")
	l.see(selects + review)
	l.press("a")
	l.see("2  approved")
	require.NotContains(t, l.text(), "  expired", "it cannot follow")
	l.press(esc)
	l.see("enter details")
	l.press("s")
	l.see("Nothing can be submitted: a person at the service reviews it")
	l.press("a")
	l.see("2  approved")
	l.press("2")
	l.see("1 account changed to approved")
	l.see(review + " +approved") // the watch itself has it

	l.press("g j ") // marks both
	l.see("2 accounts marked")
	l.press("a")
	l.see("what next for 2 accounts")
	l.see(`1  under_review +\n`) // both can become that
	l.press("1")
	l.see("Sandbox: change 2 accounts to under_review")
	l.press("y")
	l.see("2 accounts changed to under_review")
	require.Zero(t, l.quit())
	for _, account := range []string{review, stuck} {
		require.Equal(t, "under_review", s.output("kyc", "get", account, "--jq", ".status"))
	}
}

// TestExportInTheLiveView: the shown rows, or the marked ones, with all columns, in a file that only its owner may read.
func TestExportInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	rejected, approved := s.create("eve+kyc-rejected@example.com"), s.create("ada@example.com")
	s.output("kyc", "watch", rejected, approved, "--until", "rejected,approved")
	folder := t.TempDir()
	l := s.open(160, 24, append(noDesktop, "HOME="+folder), "kyc", "watch", "--all")
	l.see(selects + rejected)
	export := func(name string) {
		l.press("e")
		l.see(`> kyc-\d{8}-\d{4}\.csv`)
		l.press("\x15" + name + "\r")
	}
	export("~/all.csv")
	l.see("Exported 2 accounts")
	info, err := os.Stat(filepath.Join(folder, "all.csv"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	file, err := os.Open(filepath.Join(folder, "all.csv"))
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 3)
	column := func(name string) int {
		for i, heading := range records[0] {
			if heading == name {
				return i
			}
		}
		t.Fatalf("no column %s in %v", name, records[0])
		return 0
	}
	require.Equal(t, []string{rejected, approved}, []string{records[1][column("id")], records[2][column("id")]})
	require.Equal(t, []string{"rejected", "failed"}, []string{records[1][column("status")], records[1][column("turn")]})
	_, err = time.Parse(time.RFC3339, records[1][column("since")])
	require.NoError(t, err)

	l.press("/approved\r")
	l.see("1 of 2")
	export("~/some.ndjson")
	l.see("Exported 1 account")
	text, err := os.ReadFile(filepath.Join(folder, "some.ndjson"))
	require.NoError(t, err)
	var row struct{ ID, Status, Turn string }
	require.NoError(t, json.Unmarshal(text, &row))
	require.Equal(t, struct{ ID, Status, Turn string }{approved, "approved", "done"}, row)

	// A file is replaced only if that is confirmed. Another name may be given, and nothing is lost by it.
	export("~/all.csv")
	l.see("Replace the file")
	l.press("n")
	l.see("> ~/all.csv")
	l.press("\x15~/none/x.json\r")
	l.see("Not exported")
	l.press("\x15x.txt\r")
	l.see("has to end in")
	l.press("\x15~/all.csv\r")
	l.see("Replace the file")
	l.press("y")
	l.see("Exported 1 account")
	text, err = os.ReadFile(filepath.Join(folder, "all.csv"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(text), "\n"))
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	require.NoError(t, err)
	for _, path := range left {
		require.NotContains(t, path, "csv", "no temporary file is left")
	}
	require.Zero(t, l.quit())
}

// TestDialogOnASmallScreen: every question can be read, answered and left at 60x10.
func TestDialogOnASmallScreen(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	s.resubmitting()
	l := s.open(60, 10, noDesktop, "kyc", "watch", "--all")
	l.see("▸")
	for keys, shown := range map[string]string{"y": "Copy what of", "s": "> ", "a": "1  pending", "e": "kyc-"} {
		l.press(keys)
		l.see(shown)
		l.see("esc cancel")
		l.press(esc)
		l.see("quit")
	}
	l.press("y")
	l.see("Copy what of")
	l.press("\x03") // Ctrl-C still interrupts
	<-l.read
	_ = l.cmd.Wait() // the exit code has it
	require.Equal(t, 130, l.cmd.ProcessState.ExitCode())
}
