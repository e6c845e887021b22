package refserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/test/testrun"
)

// Variables: where a process that serves instead of running tests keeps its data (a place in JSON), and how often it is
// killed.
const (
	servePlace = "PAYCTL_TEST_SERVE"
	soakKills  = "PAYCTL_SOAK_KILLS"
)

const (
	kills       = 4
	perFolder   = 20 // kills
	connections = 16
	// longest is the longest that a process is let alone.
	longest = 300 * time.Millisecond
)

// A place is where servers keep their data.
type place struct {
	Folder   string
	Database *refserver.Database
}

// config is that of a server whose transfers settle while a test runs.
func (p place) config() refserver.Config {
	return refserver.Config{
		Data: p.Folder, Database: p.Database, KYCDelay: time.Nanosecond, SettleDelay: 20 * time.Millisecond,
	}
}

// TestMain serves in the processes that tests start.
func TestMain(m *testing.M) {
	if at := os.Getenv(servePlace); at != "" {
		fmt.Fprintln(os.Stderr, serveUntilKilled(at))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// failures writes the lines of a log to standard error that no test expects.
type failures struct{}

func (failures) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("msg=unavailable")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}

func serveUntilKilled(at string) error {
	var p place
	if err := json.Unmarshal([]byte(at), &p); err != nil {
		return err
	}
	config := p.config()
	config.Log = slog.New(slog.NewTextHandler(failures{}, &slog.HandlerOptions{Level: slog.LevelError}))
	s, err := refserver.New(config)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	return s.Serve(context.Background(), listener, nil)
}

// killsOr is how often a test kills servers, unless soakKills says otherwise.
func killsOr(t *testing.T, usually int) int {
	t.Helper()
	text := os.Getenv(soakKills)
	switch {
	case text == "" && testing.Short():
		return usually / 2
	case text == "":
		return usually
	}
	rounds, err := strconv.Atoi(text)
	require.NoError(t, err)
	return rounds
}

// process is a server that can be killed.
type process struct {
	cmd *exec.Cmd
	url string
}

func startProcess(t *testing.T, at place) *process {
	t.Helper()
	text, err := json.Marshal(at)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), servePlace+"="+string(text))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return &process{cmd, line[:len(line)-1]}
}

// kill ends the process without a word of warning.
func (p *process) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait() // it was killed, and says so
}

// A ledger is what the test knows of the writes that it sent, by idempotency key.
type ledger struct {
	mu    sync.Mutex
	acked map[string]payments.Transfer
	sent  map[string]string // the bodies of all, acknowledged or not
}

func newLedger() *ledger {
	return &ledger{acked: map[string]payments.Transfer{}, sent: map[string]string{}}
}

// load sends transfers from many connections until the service is gone.
func (l *ledger) load(t *testing.T, c *caller, contact string, next *atomic.Int64) {
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for {
				key := fmt.Sprint("k", next.Add(1))
				body := transferTo(contact, key)
				l.mu.Lock()
				l.sent[key] = body
				l.mu.Unlock()
				a, err := c.do(context.Background(), http.MethodPost, "/transfers/auto/v1", body, key)
				if err != nil {
					return // who knows what became of it
				}
				var transfer payments.Transfer
				if err := json.Unmarshal(a.body, &transfer); err != nil || a.status != http.StatusCreated {
					t.Errorf("%d %s", a.status, a.body)
					return
				}
				l.mu.Lock()
				l.acked[key] = transfer
				l.mu.Unlock()
			}
		})
	}
	all.Wait()
}

// TestKill kills servers under load at random moments. After each kill no acknowledged write is lost, and no effect is
// there without its idempotency record, none twice; tokens, secrets and the world's identity live on.
func TestKill(t *testing.T) {
	t.Parallel()
	rounds := killsOr(t, kills)
	for done := 0; done < rounds; done += perFolder {
		killAgainAndAgain(t, t.TempDir(), min(perFolder, rounds-done))
	}
}

func killAgainAndAgain(t *testing.T, folder string, rounds int) {
	first := startProcess(t, place{Folder: folder})
	c := login(t, first.url, connections)
	contact := c.approvedContact(t)
	world := c.world(t)
	l := newLedger()
	var next atomic.Int64
	random := testrun.Random(t)
	for p, round := first, 0; ; round++ {
		c.url = p.url
		require.Equal(t, world, c.world(t), "the token works on, and it is the same world")
		if round > 0 {
			l.settle(t, c)
		}
		if round == rounds {
			p.kill(t)
			break
		}
		killed := make(chan struct{})
		time.AfterFunc(time.Duration(random.Int64N(int64(longest))), func() {
			defer close(killed)
			p.kill(t)
		})
		l.load(t, c, contact, &next)
		<-killed
		l.inspectFolder(t, folder)
		p = startProcess(t, place{Folder: folder})
	}
	require.NotEmpty(t, l.acked, "nothing was written at all")
	t.Logf("%d kills, %d writes sent, all there once", rounds, len(l.sent))
}

// world is the identity of the caller's world.
func (c *caller) world(t testing.TB) string {
	t.Helper()
	a, err := c.do(t.Context(), http.MethodGet, "/transfers/v1?limit=1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	require.NotEmpty(t, a.header.Get("Payctl-World"))
	return a.header.Get("Payctl-World")
}

// inspectFolder reads what a killed process left.
func (l *ledger) inspectFolder(t *testing.T, folder string) {
	t.Helper()
	s, err := memory.Open(t.Context(), folder)
	require.NoError(t, err)
	l.inspect(t, s)
	require.NoError(t, s.Close())
}

// inspect compares what a store has with the ledger. Servers may be using it at the same time.
func (l *ledger) inspect(t *testing.T, s store.Store) {
	t.Helper()
	l.mu.Lock()
	acked := maps.Clone(l.acked)
	l.mu.Unlock()
	var kept sandbox.Export
	require.NoError(t, s.View(t.Context(), paytest.ClientID, func(tx store.Tx) (err error) {
		kept, err = sandbox.ReadExport(tx)
		return err
	}))
	byKey := map[string]*store.Transfer{}
	for _, transfer := range kept.Transfers {
		key := transfer.Reference
		require.Nil(t, byKey[key], "an effect came twice: %s", key)
		l.mu.Lock()
		sent := l.sent[key]
		l.mu.Unlock()
		require.NotEmpty(t, sent, "an effect that no request asked for: %s", key)
		byKey[key] = transfer
	}
	for key, acknowledged := range acked {
		require.NotNil(t, byKey[key], "an acknowledged write is lost: %s", key)
		require.Equal(t, acknowledged.ID, byKey[key].ID)
	}
	recorded := 0
	for _, record := range kept.Keys {
		const operation = "createAutoTransfer "
		key, ok := strings.CutPrefix(record.ID, operation)
		if !ok {
			continue
		}
		recorded++
		var first payments.Transfer
		require.NoError(t, json.Unmarshal(record.Response, &first))
		require.NotNil(t, byKey[key], "an idempotency record without its effect: %s", key)
		require.Equal(t, byKey[key].ID, first.ID)
	}
	require.Equal(t, len(byKey), recorded, "an effect without its idempotency record")
	for _, transfer := range byKey {
		if len(transfer.Plan) > 0 {
			require.NotZero(t, transfer.StepAt, "a transfer that nothing will ever move again")
		}
	}
}

// settle sends again what has no answer yet, and some of the rest.
func (l *ledger) settle(t *testing.T, c *caller) {
	t.Helper()
	checks := 0
	for key, body := range l.sent {
		known, acked := l.acked[key]
		if acked {
			if checks++; checks > 20 {
				continue
			}
		}
		a, err := c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", body, key)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, a.status, "%s", a.body)
		var transfer payments.Transfer
		require.NoError(t, json.Unmarshal(a.body, &transfer))
		if acked {
			require.Equal(t, "true", a.header.Get("Idempotency-Replayed"))
			require.Equal(t, known, transfer, "the first answer again")
		}
		l.acked[key] = transfer
	}
}

// transferTo is the body that creates a transfer.
func transferTo(contact, reference string) string {
	return fmt.Sprintf(
		`{"destinationSavedContactId":%q,"route":"base:USDC->sepa:EUR","amount":"12.50","reference":%q}`, contact, reference)
}
