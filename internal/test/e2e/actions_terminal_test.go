//go:build !windows

package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// resubmitting makes an account that has to submit its document again.
func (s *session) resubmitting() string {
	s.t.Helper()
	account := s.create("rob+kyc-resubmission@example.com")
	s.output("kyc", "watch", account, "--until", "resubmission_required")
	return account
}

// passportFile writes a file that can be submitted as a document.
func passportFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "passport.jpg")
	require.NoError(t, os.WriteFile(path, []byte("picture"), 0o600))
	return path
}

// submit submits a file for the account under the cursor, and does not wait for the answer.
func (l *liveScreen) submit(account, path string) {
	l.t.Helper()
	l.see(selects + account)
	l.Press("s")
	l.see("identity_document: a file")
	l.Press(path + "\r")
	l.see("Submit this for")
	l.Press("y")
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
	l.Press("s")
	l.see("identity_document: a file")
	l.Press(folder + "/pa\t\t")
	l.see("pass-folder/ +passport.jpg")
	l.Press("p\t\r")
	l.see("passport.jpg, 7 bytes, image/jpeg")
	l.see("Submit this for " + account)
	l.Press("\r") // is no answer
	l.Press("n")
	l.see("enter details")
	require.Equal(t, "1", attempt(), "nothing was sent")

	l.Press("s")
	l.see("identity_document: a file")
	l.Press("no-such.jpg\r")
	l.see("no such file")
	l.see("> no-such.jpg") // what was entered stays
	l.Press("\x15" + folder + "\r")
	l.see("it is a directory")
	l.Press("\x15'" + folder + "/passport.jpg' \r") // as a terminal has it that a file is dragged to
	l.see("Submit this for")
	l.Press("y")
	l.see("Submitted; " + account + " is pending now")
	require.Equal(t, "2", attempt())

	require.Zero(t, l.quit())
}

// TestSubmitTellsWhichAnswerIsWrong: the service refuses an answer. It can be corrected; the others are not asked for
// again.
func TestSubmitTellsWhichAnswerIsWrong(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.output("accounts", "create", "--type", "business", "--legal-name", "Example Ltd", "--email", "pay@example.com",
		"--country", "GB", "--jq", ".id")
	l := s.open(100, 30, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	l.Press("s")
	l.see("registrationNumber: a value")
	l.Press("\r") // left out
	l.see("[Nn]othing was entered")
	l.Press("s")
	l.see("registrationNumber: a value")
	l.Press(strings.Repeat("7", 60) + "\r")
	l.see("Submit this for")
	l.Press("y")
	l.see("registrationNumber must be a registration number of 1 to 50 characters")
	l.Press("\x15" + "01234567\r")
	l.see("registrationNumber: 01234567")
	l.Press("y")
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

// TestSubmissionThatIsKilled: the journal has a submission before it leaves, so that it can be sent again after kill
// -9, and has its effect once.
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
	passport := passportFile(t)
	l := s.open(100, 30, noDesktop, "kyc", "watch", "--all")
	l.submit(account, passport)
	key := <-arrived
	l.see("submit …")
	require.NoError(t, l.cmd.Process.Kill())
	l.Finish(l.cmd)

	holds.Store(false)
	listed, _ := s.command(nil, "transfer", "resolve", "--list", "-o", "json").Output() // it exits with 10
	require.Contains(t, string(listed), key)
	for range 2 {
		out, err := s.command(nil, "kyc", "submit", account, "--file", "identity_document="+passport, "--idempotency-key", key).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	require.Equal(t, "2", s.output("kyc", "get", account, "--jq", ".attempt"))
}

// TestViewIsLeftDuringASubmission: who leaves the view before there is an answer is told that the outcome is not known,
// and with which line it can be found out.
func TestViewIsLeftDuringASubmission(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan string, 10), make(chan struct{})
	s := newSession(t, proxied(t, serve(t), func(_ http.ResponseWriter, r *http.Request) bool {
		if !isSubmission(r) {
			return false
		}
		arrived <- r.Header.Get("Idempotency-Key")
		<-ended
		return true
	}))
	defer close(ended)
	account := s.resubmitting()
	passport := passportFile(t)
	for _, leave := range []func(l *liveScreen){
		func(l *liveScreen) {
			l.Press("q")
			l.see("Press q again to leave")
			l.Press("q")
		},
		func(l *liveScreen) { l.Press("\x03") },
		func(l *liveScreen) { require.NoError(t, l.cmd.Process.Signal(syscall.SIGTERM)) },
		func(l *liveScreen) { require.NoError(t, l.cmd.Process.Signal(syscall.SIGHUP)) },
	} {
		l := s.open(300, 30, noDesktop, "kyc", "watch", "--all")
		l.submit(account, passport)
		key := <-arrived
		l.see("submit …")
		leave(l)
		require.NotZero(t, l.Finish(l.cmd))
		l.see("not known whether the request took effect")
		l.see("payctl kyc submit --idempotency-key " + key + " --file identity_document=" + passport + " (-- )?" + account)
	}
}

// TestWatchEndsAfterTheSubmission: a watch whose goal is reached while its submission has no answer yet waits for the
// answer.
func TestWatchEndsAfterTheSubmission(t *testing.T) {
	t.Parallel()
	service := serve(t)
	answer := make(chan struct{})
	s := newSession(t, proxied(t, service, func(w http.ResponseWriter, r *http.Request) bool {
		if !isSubmission(r) {
			return false
		}
		forwarded := r.Clone(r.Context())
		forwarded.RequestURI = ""
		forwarded.URL.Scheme, forwarded.URL.Host = "http", strings.TrimPrefix(service, "http://")
		response, err := http.DefaultTransport.RoundTrip(forwarded)
		if err != nil {
			t.Error(err)
			return true
		}
		defer response.Body.Close()
		<-answer
		maps.Copy(w.Header(), response.Header)
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
		return true
	}))
	account := s.resubmitting()
	passport := passportFile(t)
	l := s.open(100, 30, noDesktop, "kyc", "watch", account, "--until", "pending,approved")
	l.submit(account, passport)
	l.see("resubmission_required → (pending|approved)")
	close(answer)
	require.Zero(t, l.Finish(l.cmd))
	require.Equal(t, "[]", s.output("transfer", "resolve", "--list", "-o", "json"), "no outcome is unknown")
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
	passport := passportFile(t)
	l := s.open(140, 30, append(noDesktop, "PAYCTL_RETRIES=0", "PAYCTL_TIMEOUT=2s"), "kyc", "watch", "--all")
	l.submit(account, passport)
	l.see("t  try again")
	l.see("--idempotency-key payctl-")
	breaks.Store(false)
	l.Press("t")
	l.see("Submitted; ")
	require.Zero(t, l.quit())
	mu.Lock()
	defer mu.Unlock()
	require.Greater(t, len(keys), 1)
	for _, key := range keys {
		require.Equal(t, keys[0], key)
	}
}

// TestLinksInTheLiveView: a link is opened by the program of the desktop, as one argument, after its host has been
// confirmed once; without a desktop it is copied.
func TestLinksInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	account := s.resubmitting()
	link := s.output("kyc", "get", account, "--jq", ".verificationUrl")
	l := s.open(100, 24, noDesktop, "kyc", "watch", "--all")
	l.see(selects + account)
	l.Press("o")
	l.see("Copied the link")
	require.Equal(t, link, l.clipboard(1))
	require.Zero(t, l.quit())

	folder := t.TempDir()
	called := filepath.Join(folder, "called")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "xdg-open"),
		[]byte("#!/bin/sh\necho disturbs the screen; echo \"$# $1 $PAYCTL_CLIENT_SECRET\" >>"+called+"\n"), 0o700))
	l = s.open(100, 24, []string{"DISPLAY=:99", "BROWSER=", "PATH=" + folder + ":" + os.Getenv("PATH")}, "kyc", "watch", "--all")
	l.see(selects + account)
	l.Press("o")
	l.see("Host: verify.payctl.example")
	l.Press(esc)
	l.see("enter details")
	require.NoFileExists(t, called)
	l.Press("o")
	l.see("Host: ")
	l.Press("y")
	l.see("Opened the page at verify.payctl.example")
	l.Press("j") // the answer goes away
	l.gone("Opened the page")
	l.Press("o")
	l.see("Opened the page")
	require.Zero(t, l.quit())
	text, err := os.ReadFile(called)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("1 "+link+" \n", 2), string(text))
	require.NotContains(t, l.Wrote(), "disturbs")
}

// TestHostileLinks: a link that does not lead to where it seems to lead is neither opened nor copied, and what is
// copied of a hostile account controls no terminal and no shell.
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
		l.Press("o")
		l.see(why)
		l.Press("\r")
		l.gone(why)
		l.Press("y")
		l.see("Copy what of")
		l.Press("l")
		l.see(why)
		l.Press("\r")
		l.gone(why)
	}
	require.NoFileExists(t, called)
	for n, what := range []string{"reply", "JSON"} {
		l.Press("y")
		l.see("Copy what of")
		l.Press(strings.ToLower(what[:1]))
		harmless(t, l.clipboard(n+1), what)
		l.gone("Copy what of")
	}
	l.Press("s")
	l.see("a value|a file")
	l.Press("x\r")
	l.see("Submit this for|is larger|cannot be read")
	l.Press(esc)
	require.NotContains(t, l.Wrote(), "\x1b]0;title")
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
		l.Press("y")
		l.see("Copy what of " + account)
		l.Press(key)
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
	l.Press("y")
	l.see("Copy what of")
	l.Press("e")
	l.see("personal data: press P first")
	l.Press("y")
	l.see("Copy what of")
	l.Press(esc)
	l.see("enter details")
	require.Zero(t, l.quit())

	l = s.open(100, 24, noDesktop, "kyc", "watch", "--all", "--show-pii")
	l.see(selects + account)
	copied = 0
	require.Equal(t, "rob+kyc-resubmission@example.com", take("e"))
	require.Contains(t, take("r"), "Hello Ada ")
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
	require.Eventually(t, func() bool { return len(lines()) == 2 }, time.Minute, 10*time.Millisecond, "the first statuses")
	l.Press("!")
	l.see("Run the program .* for 1 account")
	l.see(rejected + " rejected")
	l.Press("y")
	l.see("The program ran for 1 account")
	want := rejected + "||rejected|suspected_fraud_document"
	require.Equal(t, want, lines()[2])
	l.Press(" j !") // both are marked
	l.see("Run the program .* for 2 accounts")
	l.Press("n")
	l.see("enter details")
	require.Len(t, lines(), 3)
	l.Press("!")
	l.see("Run the program .* for 2 accounts")
	l.Press("y")
	l.see("ran for 2 accounts, 1 failed")
	l.see("exit status 7")
	require.ElementsMatch(t, []string{want, approved + "||approved|"}, lines()[3:])
	l.Press("\r")
	require.Equal(t, 1, l.quit(), "the run for the first status has failed")

	l = s.open(100, 24, noDesktop, "kyc", "watch", "--all")
	l.see(selects)
	l.Press("!")
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
	l.Press("a")
	l.see("2  approved")
	require.NotContains(t, l.Text(), "  expired", "it cannot follow")
	l.Press(esc)
	l.see("enter details")
	l.Press("s")
	l.see("Nothing can be submitted: a person at the service reviews it")
	l.Press("a")
	l.see("2  approved")
	l.Press("2")
	l.see("1 account changed to approved")
	l.see(review + " +approved") // the watch itself has it

	l.Press("g j ") // marks both
	l.see("2 accounts marked")
	l.Press("a")
	l.see("what next for 2 accounts")
	l.see(`1  under_review +\n`) // both can become that
	l.Press("1")
	l.see("Sandbox: change 2 accounts to under_review")
	l.Press("y")
	l.see("2 accounts changed to under_review")
	require.Zero(t, l.quit())
	for _, account := range []string{review, stuck} {
		require.Equal(t, "under_review", s.output("kyc", "get", account, "--jq", ".status"))
	}
}

// TestExportInTheLiveView: the shown rows, or the marked ones, with all columns, in a file that only its owner may
// read.
func TestExportInTheLiveView(t *testing.T) {
	t.Parallel()
	s := newSession(t, serve(t))
	rejected, approved := s.create("eve+kyc-rejected@example.com"), s.create("ada@example.com")
	s.output("kyc", "watch", rejected, approved, "--until", "rejected,approved")
	folder := t.TempDir()
	l := s.open(160, 24, append(noDesktop, "HOME="+folder), "kyc", "watch", "--all")
	l.see(selects + rejected)
	export := func(name string) {
		l.Press("e")
		l.see(`> kyc-\d{8}-\d{4}\.csv`)
		l.Press("\x15" + name + "\r")
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

	l.Press("/approved\r")
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
	l.Press("n")
	l.see("> ~/all.csv")
	l.Press("\x15~/none/x.json\r")
	l.see("Not exported")
	l.Press("\x15x.txt\r")
	l.see("has to end in")
	l.Press("\x15~/all.csv\r")
	l.see("Replace the file")
	l.Press("y")
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
		l.Press(keys)
		l.see(shown)
		l.see("esc cancel")
		l.Press(esc)
		l.see("quit")
	}
	l.Press("y")
	l.see("Copy what of")
	l.Press("\x03") // Ctrl-C still interrupts
	require.Equal(t, 130, l.Finish(l.cmd))
}
