package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
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

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/testkit"
)

// soakKills names the variable that says how often the program is killed in all.
const soakKills = "PAYCTL_SOAK_KILLS"

const (
	killsInTests = 36 // unless soakKills says otherwise
	reruns       = 4  // of a line, until it is done
)

// troubles are what goes wrong with a write on its way, as rules of the sandbox; an empty one stands for nothing.
var troubles = map[string]string{
	"nothing":                 "",
	"reset before the effect": "createAutoTransfer=reset,times:2",
	"commit and then drop":    "createAutoTransfer=drop,times:2",
	"delay past the time-out": "createAutoTransfer=delay:400ms,times:1",
	"429":                     "createAutoTransfer=status:429,times:2",
	"503":                     "createAutoTransfer=status:503,times:2",
	"truncated body":          "createAutoTransfer=truncate,times:2",
	"malformed JSON":          "createAutoTransfer=malformed,times:2",
	"expired token":           "createAutoTransfer=expired-token,times:1",
}

// troublesNow are all troubles, or with -short some. There are fewer still where the race detector watches, under which a
// program takes long to start.
func troublesNow() map[string]string {
	names := []string{"commit and then drop", "expired token"}
	switch {
	case testkit.Raced:
	case testing.Short():
		names = append(names, "reset before the effect", "delay past the time-out")
	default:
		return troubles
	}
	some := map[string]string{}
	for _, name := range names {
		some[name] = troubles[name]
	}
	return some
}

// A payer runs the program as a script would.
type payer struct {
	t    *testing.T
	env  []string
	line []string      // what is run again and again
	took time.Duration // how long a run took that made one write

	random *rand.Rand
}

// newPayer logs in to a service as a client of its own, with an approved account and a contact.
func newPayer(t *testing.T, url string) *payer {
	t.Helper()
	name := strings.NewReplacer("/", "-", " ", "-", ",", "").Replace(t.Name())
	p := &payer{t: t, random: testkit.Random(t), env: append(os.Environ(),
		"PAYCTL_CONFIG_DIR="+filepath.Join(t.TempDir(), "config"), "PAYCTL_BASE_URL="+url, "PAYCTL_CLIENT_ID="+name,
		"PAYCTL_CLIENT_SECRET=secret-of-"+name, "PAYCTL_CREDENTIAL_STORE=file", "HOME="+t.TempDir(),
	)}
	p.prepare()
	return p
}

// prepare makes an approved account and a contact, and the line that pays it.
func (p *payer) prepare() {
	p.t.Helper()
	began := time.Now()
	account := p.must("accounts", "create", "--type", "individual", "--first-name", "A", "--last-name", "B",
		"--email", "a@example.com", "--country", "GB", "--jq", ".id")
	p.took = time.Since(began)
	p.must("kyc", "watch", account)
	contact := p.must("contacts", "create", "--account", account, "--label", "L", "--holder-name", "N", "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000", "--jq", ".id")
	p.line = []string{"transfer", "auto", "--contact", contact, "--route", "base:USDC->sepa:EUR", "--amount", "5",
		"--retries", "2", "--timeout", "300ms", "--jq", ".id"}
}

func (p *payer) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "payctl", args...)
	cmd.Env = p.env
	return cmd
}

// must runs a command that has to succeed and returns what it printed.
func (p *payer) must(args ...string) string {
	p.t.Helper()
	out, err := p.command(p.t.Context(), args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	require.NoError(p.t, err, "payctl %s", strings.Join(args, " "))
	return strings.TrimSpace(string(out))
}

// killed is a context that ends a program without a warning, at a random moment of so many writes. How long these take
// depends on the system and on what else the machine does.
func (p *payer) killed(writes int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.t.Context(), p.moment(writes))
}

// moment is a random time within that of so many writes.
func (p *payer) moment(writes int) time.Duration {
	return time.Duration(p.random.Int64N(int64(writes) * int64(p.took)))
}

// pay runs the line for a reference until it is done. When it is killed, that is at a random moment of its first run.
func (p *payer) pay(reference string, kill bool) string {
	p.t.Helper()
	line := slices.Concat(p.line, []string{"--reference", reference})
	if kill {
		ctx, cancel := p.killed(1)
		_ = p.command(ctx, line...).Run()
		cancel()
	}
	for n := 0; ; n++ {
		if n == reruns { // the machine is busy with other things
			line = withFlags(line, patient...)
		}
		out, err := p.command(p.t.Context(), line...).Output()
		if err == nil {
			return strings.TrimSpace(string(out))
		}
		failed, ok := errors.AsType[*exec.ExitError](err)
		require.True(p.t, ok, "%v", err)
		require.Contains(p.t, []int{7, 8, 9, 10}, failed.ExitCode(), "%s", failed.Stderr)
		require.Less(p.t, n, 2*reruns, "the line is not done after %d runs: %s", n, failed.Stderr)
	}
}

// transfers are those with a reference, as the service has them.
func (p *payer) transfers(reference string) (found []payments.Transfer) {
	p.t.Helper()
	text := p.must("transfer", "list", "--reference", reference, "--all", "-o", "json")
	require.NoError(p.t, json.Unmarshal([]byte(text), &found))
	return found
}

// TestNothingIsPaidTwiceOrLost runs lines again and again while the service fails in every way, and the program is killed
// at random moments. Each reference ends with one transfer, and the line says which.
func TestNothingIsPaidTwiceOrLost(t *testing.T) {
	t.Parallel()
	url := serve(t)
	each := killsEach(t)
	for name, rule := range troublesNow() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPayer(t, url)
			for n := range each {
				for _, kill := range killedOrNot() {
					reference := fmt.Sprintf("%d-%t", n, kill)
					if rule != "" {
						p.must("sandbox", "faults", rule)
					}
					id := p.pay(reference, kill)
					p.must("sandbox", "faults", "--clear")
					transfers := p.transfers(reference)
					require.Len(t, transfers, 1)
					require.Equal(t, transfers[0].ID, id)
					require.Equal(t, id, p.pay(reference, false), "the line answers with the same transfer")
				}
			}
			p.must("transfer", "resolve")
		})
	}
}

// TestNothingIsPaidTwiceOverDyingServers runs lines while the service is killed and started again on its folder.
func TestNothingIsPaidTwiceOverDyingServers(t *testing.T) {
	t.Parallel()
	m := newMortal(t)
	p := newPayer(t, m.url)
	deaths := 5
	if testing.Short() {
		deaths = 2
	}
	for n := range deaths {
		reference := strconv.Itoa(n)
		paid := make(chan struct{})
		go func() {
			defer close(paid)
			_ = p.command(t.Context(), slices.Concat(p.line, []string{"--reference", reference})...).Run()
		}()
		select {
		case <-time.After(p.moment(1)):
		case <-paid:
		}
		m.kill()
		<-paid
		m.start()
		id := p.pay(reference, false)
		transfers := p.transfers(reference)
		require.Len(t, transfers, 1)
		require.Equal(t, transfers[0].ID, id)
	}
	m.kill()
}

// A mortal is a service in a process of its own, which is killed and started again on its folder, behind one address.
type mortal struct {
	t       *testing.T
	url     string // behind which the service is
	data    string
	cmd     *exec.Cmd
	service atomic.Pointer[string] // its own address, another one after each start
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	m := &mortal{t: t, data: t.TempDir()}
	m.start()
	front := httptest.NewServer(forwardTo(t, func() string { return *m.service.Load() }))
	t.Cleanup(front.Close)
	m.url = front.URL
	return m
}

func (m *mortal) start() {
	m.t.Helper()
	m.cmd = exec.CommandContext(m.t.Context(), "payctl", "serve", "--addr", "127.0.0.1:0", "--data", m.data, "--kyc-delay", "1ns")
	out, err := m.cmd.StdoutPipe()
	require.NoError(m.t, err)
	require.NoError(m.t, m.cmd.Start())
	line, err := bufio.NewReader(out).ReadBytes('\n')
	require.NoError(m.t, err)
	var ready struct {
		URL string `json:"url"`
	}
	require.NoError(m.t, json.Unmarshal(line, &ready))
	m.service.Store(&ready.URL)
}

func (m *mortal) kill() {
	m.t.Helper()
	require.NoError(m.t, m.cmd.Process.Kill())
	_ = m.cmd.Wait()
}

// TestANewWorldIsNotTakenForDone resets the world of a service, as a restart of one that keeps nothing does.
func TestANewWorldIsNotTakenForDone(t *testing.T) {
	t.Parallel()
	url := serve(t)
	p := newPayer(t, url)
	first := p.pay("r", false)
	p.must("sandbox", "reset", "--yes")
	p.prepare()
	require.NotEqual(t, first, p.pay("r", false))
	require.Len(t, p.transfers("r"), 1)
}

// TestTheSameLineAtOnce runs one line in several programs at once, at a service that does not honour keys too.
func TestTheSameLineAtOnce(t *testing.T) {
	t.Parallel()
	for name, ignored := range map[string]bool{"keys honoured": false, "keys ignored": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPayer(t, serveAs(t, refserver.Config{Version: "test", KYCDelay: 1, SettleDelay: 1, IgnoreIdempotencyKeys: ignored}))
			const programs = 6
			ids := make(chan string, programs)
			for range programs {
				go func() {
					out, err := p.command(t.Context(), withFlags(p.line, "--timeout", "20s", "--reference", "r")...).Output()
					if err != nil {
						out = []byte(err.Error())
					}
					ids <- strings.TrimSpace(string(out))
				}()
			}
			transfer := <-ids
			for range programs - 1 {
				require.Equal(t, transfer, <-ids)
			}
			require.Len(t, p.transfers("r"), 1)
		})
	}
}

// killedOrNot is whether a program is killed: it may be either way, and with -short it is, which is harder.
func killedOrNot() []bool {
	if testing.Short() {
		return []bool{true}
	}
	return []bool{false, true}
}

// killsEach is how often the program is killed for each trouble.
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
