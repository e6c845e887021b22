package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/testkit"
)

// A kind of service is what it promises about writes.
type kind struct {
	name   string
	keys   bool // it honours idempotency keys
	unique bool // it keeps references unique
}

// Exit codes of the program.
const (
	exitReused  = 6 // a reference belongs to another transfer
	exitUnknown = 10
	exitFailed  = 11 // a transfer has failed, or was canceled
	exitRefused = 13 // some rows of a batch
)

// kinds are all kinds of service.
var kinds = []kind{
	{"keys and unique references", true, true},
	{"keys", true, false},
	{"unique references", false, true},
	{"neither", false, false},
}

// A site is a service and the machines that pay at it. Each machine has a journal of its own, and all have one clock.
type site struct {
	t       *testing.T
	kind    kind
	service string                      // its address
	url     string                      // the address at which machines know it, where a test can stand between
	between atomic.Pointer[interceptor] // nil: nothing stands between
	clock   string                      // the file with the shift of the machines' clocks
	passed  time.Duration               // by how much the machines' clocks are ahead
	account string
	contact string
	machine machine       // the first one
	took    time.Duration // how long a run took that made one write
}

// An interceptor gets the requests of machines, and the service.
type interceptor func(w http.ResponseWriter, r *http.Request, service http.Handler)

// A machine runs the program with its own configuration and journal.
type machine struct {
	t   *testing.T
	env []string
}

// atEachKind runs a scenario at each kind of service that is wanted; with -short, at the last one, which promises least.
func atEachKind(t *testing.T, wanted func(kind) bool, scenario func(*site)) {
	t.Helper()
	t.Parallel()
	all := slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !wanted(k) })
	if testing.Short() {
		all = all[max(len(all)-1, 0):]
	}
	for _, k := range all {
		if !(testkit.Raced && k.keys != k.unique) { // programs then take long to start
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				scenario(newSite(t, k))
			})
		}
	}
}

func newSite(t *testing.T, k kind) *site {
	t.Helper()
	return newSiteWith(t, k, 1)
}

// newSiteWith is newSite; with settleDelay transfers await their funds so long, and can be canceled.
func newSiteWith(t *testing.T, k kind, settleDelay time.Duration) *site {
	t.Helper()
	s := &site{t: t, kind: k, clock: filepath.Join(t.TempDir(), "clock"), service: serveAs(t, refserver.Config{
		Version: "test", KYCDelay: 1, SettleDelay: settleDelay, IgnoreIdempotencyKeys: !k.keys, DuplicateReferences: !k.unique,
	})}
	s.url = s.front()
	s.machine = s.newMachine()
	m := s.machine
	began := time.Now()
	s.account = m.must("accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B",
		"--email", "a@example.com", "--country", "GB", "--jq", ".id")
	s.took = time.Since(began)
	m.must("kyc", "watch", s.account)
	s.contact = m.must("contacts", "create", "--account", s.account, "--label", contactLabel, "--holder-name", "N",
		"--holder-type", "individual", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000",
		"--jq", ".id")
	return s
}

// front serves the service at the address that machines know.
func (s *site) front() (url string) {
	proxy := forwardTo(s.t, func() string { return s.service })
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handle := s.between.Load(); handle != nil {
			(*handle)(w, r, proxy)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	s.t.Cleanup(server.Close)
	return server.URL
}

// intercept lets a function stand between the machines and the service.
func (s *site) intercept(handle interceptor) { s.between.Store(&handle) }

// newMachine returns a machine with an empty journal.
func (s *site) newMachine() machine {
	home := s.t.TempDir()
	return machine{s.t, append(inherited(
		"HOME="+home, "PAYCTL_CONFIG_DIR="+filepath.Join(home, "config"), "PAYCTL_BASE_URL="+s.url,
		"PAYCTL_CLIENT_ID=payer", "PAYCTL_CLIENT_SECRET=secret-of-the-payer", "PAYCTL_CREDENTIAL_STORE=file",
	), clockFile+"="+s.clock)}
}

// pass lets time pass for the service and for the machines. The machines' monotonic clock stands still if they sleep.
func (s *site) pass(d time.Duration, sleeping bool) {
	s.t.Helper()
	s.machine.must("sandbox", "clock", "+"+d.String())
	s.passed += d
	text := s.passed.String()
	if sleeping {
		text = "wall " + text
	}
	next := s.clock + ".next"
	require.NoError(s.t, os.WriteFile(next, []byte(text), 0o600))
	require.NoError(s.t, os.Rename(next, s.clock))
}

// contactLabel is the label of a site's contact.
const contactLabel = "Ada Lovelace, Ltd"

// file writes a file with a row for each reference. Rows name the contact by its id and by its label in turn.
func (s *site) file(references ...string) string {
	s.t.Helper()
	var b strings.Builder
	b.WriteString("reference,contact,route,amount\n")
	for i, reference := range references {
		contact := []string{s.contact, `"` + contactLabel + `"`}[i%2]
		fmt.Fprintf(&b, "%s,%s,base:USDC->sepa:EUR,5\n", reference, contact)
	}
	path := filepath.Join(s.t.TempDir(), "rows.csv")
	require.NoError(s.t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// references returns r-1, r-2 and so on.
func references(count int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("r-%d", i+1)
	}
	return all
}

// auto is the line that pays a reference.
func (s *site) auto(reference string, more ...string) []string {
	return withFlags([]string{
		"transfer", "auto", "--contact", s.contact, "--route", "base:USDC->sepa:EUR", "--amount", "5",
		"--reference", reference, "--jq", ".id",
	}, more...)
}

// call is the line that pays a reference with a call of the service.
func (s *site) call(reference string, more ...string) []string {
	return append([]string{
		"api", "POST", "/transfers/auto/v1", "-f", "reference=" + reference, "-f", "amount=5",
		"-f", "route=base:USDC->sepa:EUR", "-f", "destinationSavedContactId=" + s.contact, "--jq", ".id",
	}, more...)
}

// batch is the line that pays a file.
func batch(file string, more ...string) []string {
	return append([]string{"transfer", "batch", file, "--yes", "-o", "json"}, more...)
}

// A run is a program that was started.
type run struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// start starts the program.
func (m machine) start(args ...string) *run {
	m.t.Helper()
	r := &run{t: m.t, cmd: exec.CommandContext(m.t.Context(), "payctl", args...)}
	r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = m.env, &r.stdout, &r.stderr
	require.NoError(m.t, r.cmd.Start())
	return r
}

// wait waits for the program's end.
func (r *run) wait() ended {
	_ = r.cmd.Wait()
	e := ended{code: r.cmd.ProcessState.ExitCode(), stderr: r.stderr.String()}
	e.stdout = strings.TrimSpace(r.stdout.String())
	const longest = 3000 // of a report that is logged
	r.t.Logf("payctl %s\nexit code %d\n%.*s\n%.*s", strings.Join(r.cmd.Args[1:], " "), e.code, longest, e.stdout,
		longest, e.stderr)
	return e
}

// run runs the program.
func (m machine) run(args ...string) ended {
	m.t.Helper()
	return m.start(args...).wait()
}

// must runs a command that has to succeed, and returns what it printed.
func (m machine) must(args ...string) string {
	m.t.Helper()
	e := m.run(args...)
	require.Zero(m.t, e.code, e.stderr)
	return e.stdout
}

// forwardTo is a service at an address that may change. A client that goes away does not end its request.
func forwardTo(t *testing.T, service func() string) http.Handler {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			target, err := url.Parse(service())
			if err != nil {
				panic(err)
			}
			r.SetURL(target)
		},
		ErrorLog: log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // the connection breaks on both sides
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without a context that can end, ReverseProxy ends the request when the client goes away (http.CloseNotifier).
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		defer cancel()
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})
}

// A loss is what gets lost when a connection breaks.
type loss int

const (
	nothing loss = iota
	theResponse
	theRequest
)
