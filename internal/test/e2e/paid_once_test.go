package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/test/testkit"
)

// Random schedules in internal/outbox show that nothing is paid twice. Here programs are killed.

// soakKills is the variable with the total number of kills.
const soakKills = "PAYCTL_SOAK_KILLS"

const (
	killsInTests = 36 // unless soakKills says otherwise
	reruns       = 4  // of a line, until it succeeds
	fileRows     = 60
	fileWrites   = 4 // a file takes about as long as this many programs with one write each
)

// patient are the flags of runs without trouble: the machine may be busy.
var patient = []string{"--timeout", "20s"}

// troubles are the ways in which a write can fail, as fault rules without their operation.
var troubles = map[string]string{
	"nothing":                 "",
	"commit and then drop":    "drop,times:2",
	"expired token":           "expired-token,times:1",
	"reset before the effect": "reset,times:2",
	"delay past the time-out": "delay:400ms,times:1",
	"429":                     "status:429,times:2",
	"503":                     "status:503,times:2",
	"truncated body":          "truncate,times:2",
	"malformed JSON":          "malformed,times:2",
}

// troublesNow returns all troubles, or fewer with -short or the race detector, which makes programs slow to start.
func troublesNow() map[string]string {
	some := maps.Clone(troubles)
	if testing.Short() || testkit.Raced {
		for _, name := range []string{"nothing", "429", "503", "truncated body", "malformed JSON"} {
			delete(some, name)
		}
	}
	return some
}

// killsEach returns how often the program is killed for each trouble.
func killsEach(t *testing.T) int {
	t.Helper()
	kills := killsInTests
	if testkit.Raced || testing.Short() {
		kills = 0
	}
	if text := os.Getenv(soakKills); text != "" {
		var err error
		kills, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	return max(kills/len(troubles), 1)
}

// A payer is a machine with a contact that it pays.
type payer struct {
	machine

	random  *rand.Rand
	account string
	contact string
	line    []string      // pays the contact
	took    time.Duration // how long a run with one write took
}

func newPayer(t *testing.T, url string) *payer {
	t.Helper()
	p := &payer{machine: newMachine(t, url), random: testkit.Random(t)}
	began := time.Now()
	p.account = p.createAccount("a@example.com")
	p.took = time.Since(began)
	p.must("kyc", "watch", p.account)
	p.contact = p.createContact(p.account, "L")
	p.line = []string{"transfer", "auto", "--contact", p.contact, "--route", "base:USDC->sepa:EUR", "--amount", "5",
		"--retries", "2", "--timeout", "300ms", "--jq", ".id"}
	return p
}

// moment returns a random time within the duration of that many writes, which depends on the system.
func (p *payer) moment(writes int) time.Duration {
	return time.Duration(p.random.Int64N(int64(writes) * int64(p.took)))
}

// killed runs a line and kills the program at a random moment while it makes that many writes.
func (p *payer) killed(writes int, line ...string) {
	p.t.Helper()
	r := p.start(line...)
	<-time.After(p.moment(writes))
	r.kill()
}

// finish runs a line again and again until it succeeds, and returns its output.
func (p *payer) finish(line ...string) string {
	p.t.Helper()
	for n := 0; ; n++ {
		if n == reruns { // the machine is busy
			line = withFlags(line, patient...)
		}
		e := p.run(line...)
		if e.code == 0 {
			return e.stdout
		}
		require.Contains(p.t, []int{4, 7, 8, 9, cmdutil.ExitOutcomeUnknown}, e.code, "%s", e.stderr)
		require.Less(p.t, n, 2*reruns, "the line is not done after %d runs: %s", n, e.stderr)
	}
}

// pay pays a reference, again and again until it succeeds, and returns the id of the transfer.
func (p *payer) pay(reference string) string {
	p.t.Helper()
	return p.finish(withFlags(p.line, "--reference", reference)...)
}

// requireOne requires that a reference has exactly one transfer, with the given id.
func (p *payer) requireOne(reference, id string) {
	p.t.Helper()
	require.Equal(p.t, id, p.must("transfer", "list", "--reference", reference, "--all", "--jq", ".[].id"))
}

// TestNothingIsPaidTwiceOrLost pays references while the service fails in every way and the program is killed at random
// moments. Each reference must end with one transfer, whose id the line prints.
func TestNothingIsPaidTwiceOrLost(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for name, trouble := range troublesNow() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPayer(t, url)
			for n := range killsEach(t) {
				reference := fmt.Sprint("r-", n)
				if trouble != "" {
					p.must("sandbox", "faults", "createAutoTransfer="+trouble)
				}
				p.killed(1, withFlags(p.line, "--reference", reference)...)
				id := p.pay(reference)
				p.must("sandbox", "faults", "--clear")
				p.requireOne(reference, id)
				require.Equal(t, id, p.pay(reference), "the line answers with the same transfer")
			}
			p.must("transfer", "resolve")
		})
	}
}

// A file is a file of rows, with the command line that sends it.
type file struct {
	line      []string
	operation string   // creates the object of a row
	list      []string // prints the reference and the id of each created object
}

// save writes a file with a header and rows that begin with r-0, r-1 and so on.
func (p *payer) save(rows int, header, rest string) (path string) {
	p.t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for n := range rows {
		fmt.Fprintf(&b, "r-%d,%s\n", n, rest)
	}
	path = filepath.Join(p.t.TempDir(), "rows.csv")
	require.NoError(p.t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// transfers returns a file of payments to the payer's contact.
func (p *payer) transfers(rows int) file {
	p.t.Helper()
	path := p.save(rows, "reference,contact,route,amount", p.contact+",base:USDC->sepa:EUR,5")
	return file{
		[]string{"transfer", "batch", path, "--yes", "--jq", `.[] | .reference + " " + .transfer_id`}, "createAutoTransfer",
		[]string{"transfer", "list", "--all", "--jq", `.[] | .reference + " " + .id`},
	}
}

// accounts and contacts return files to import.
func (p *payer) accounts(rows int) file {
	p.t.Helper()
	path := p.save(rows, "external_id,type,first_name,last_name,email,country", "individual,A,B,a@example.com,GB")
	return file{
		[]string{"accounts", "import", path, "--jq", `.[] | .external_id + " " + .id`}, "createAccount",
		[]string{"accounts", "list", "--all", "--jq", `.[] | select(.externalId) | .externalId + " " + .id`},
	}
}

func (p *payer) contacts(rows int) file {
	p.t.Helper()
	path := p.save(rows, "external_id,account,label,holder_name,holder_type,rail,currency,iban",
		p.account+",L,N,individual,sepa,EUR,DE89370400440532013000")
	return file{
		[]string{"contacts", "import", path, "--jq", `.[] | .external_id + " " + .id`}, "createSavedContact",
		[]string{"contacts", "list", "--all", "--jq", `.[] | select(.externalId) | .externalId + " " + .id`},
	}
}

// requireOnce requires that each row had one effect, and that the report has its id.
func (p *payer) requireOnce(f file, rows int, report string) {
	p.t.Helper()
	made, reported := strings.Fields(p.must(f.list...)), strings.Fields(report)
	require.Len(p.t, made, 2*rows)
	require.ElementsMatch(p.t, slices.Collect(slices.Chunk(made, 2)), slices.Collect(slices.Chunk(reported, 2)))
}

// TestAFileIsPaidOnce sends files again and again while the service fails in every way and the program is killed at
// random moments. Every row must have one effect, whose id the report has.
func TestAFileIsPaidOnce(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for kind, newFile := range map[string]func(*payer, int) file{
		"transfers": (*payer).transfers, "accounts": (*payer).accounts, "contacts": (*payer).contacts,
	} {
		for name, trouble := range troublesNow() {
			if testing.Short() && kind != "transfers" && name != "commit and then drop" {
				continue
			}
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				p := newPayer(t, url)
				f := newFile(p, fileRows)
				if trouble != "" {
					p.must("sandbox", "faults", f.operation+"="+strings.Split(trouble, ",")[0]+",times:12")
				}
				line := withFlags(f.line, "--retries", "2", "--timeout", "300ms")
				for range killsEach(t) {
					p.killed(fileWrites, line...)
				}
				report := p.finish(line...)
				p.must("sandbox", "faults", "--clear")
				p.requireOnce(f, fileRows, report)
				require.Equal(t, report, p.finish(withFlags(line, patient...)...), "the file answers with the same effects")
			})
		}
	}
}

// TestAFileIsPaidOnceOverDyingServers pays a file while the service is repeatedly killed and restarted on its folder. A
// run ends with every row paid, or with an exit code that says to run the line again.
func TestAFileIsPaidOnceOverDyingServers(t *testing.T) {
	t.Parallel()
	rows, deaths := 400, 5
	if testing.Short() {
		rows, deaths = 100, 2
	}
	m := newMortal(t)
	p := newPayer(t, m.url)
	f := p.transfers(rows)
	line := withFlags(f.line, "--retries", "2", "--timeout", "300ms")
	for range deaths {
		r := p.start(line...)
		<-time.After(p.moment(fileWrites))
		m.kill()
		m.start()
		e := r.end()
		require.Contains(t, []int{0, 8, 9, cmdutil.ExitOutcomeUnknown}, e.code, e.stderr)
		if e.code == 0 {
			p.requireOnce(f, rows, e.stdout)
		}
	}
	p.requireOnce(f, rows, p.finish(line...))
	m.kill()
}

// A mortal is a service in its own process behind a fixed address. It is killed and restarted on its folder.
type mortal struct {
	t    *testing.T
	url  string // of a proxy in front of the service
	data string
	cmd  *exec.Cmd
	life atomic.Pointer[life]
}

// A life is from a start of the service to its death.
type life struct {
	url *url.URL        // of the service, which changes at each start
	ctx context.Context // ends with its requests when it is dead: Wine may keep their connections open
	end func()
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{t: t, data: t.TempDir()}
	m.start()
	proxy := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(m.life.Load().url) },
		ErrorLog: log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // the connection breaks on both sides
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxy.ServeHTTP(w, r.WithContext(m.life.Load().ctx)) // a client that goes away must not end its request
	}))
	t.Cleanup(front.Close)
	m.url = front.URL
	return m
}

func (m *mortal) start() {
	m.t.Helper()
	m.cmd = exec.CommandContext(m.t.Context(), "payctl", "serve", "--addr", "127.0.0.1:0", "--data", m.data,
		"--kyc-delay", "1ns")
	out, err := m.cmd.StdoutPipe()
	require.NoError(m.t, err)
	require.NoError(m.t, m.cmd.Start())
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(m.t, err)
	var ready map[string]any
	require.NoError(m.t, json.Unmarshal(line, &ready))
	target, err := url.Parse(ready["url"].(string))
	require.NoError(m.t, err)
	ctx, end := context.WithCancel(context.Background())
	m.life.Store(&life{target, ctx, end})
}

func (m *mortal) kill() {
	m.t.Helper()
	require.NoError(m.t, m.cmd.Process.Kill())
	_ = m.cmd.Wait()
	m.life.Load().end()
}

// TestTheSameLineAtOnce runs one line in several programs at once, with a service that ignores idempotency keys.
func TestTheSameLineAtOnce(t *testing.T) {
	t.Parallel()
	config := quick
	config.IgnoreIdempotencyKeys = true
	p := newPayer(t, serveAs(t, config))
	line := withFlags(p.line, "--timeout", "20s", "--reference", "r")
	for _, e := range p.atOnce(6, line...) {
		p.requireOne("r", e.stdout)
	}
}
