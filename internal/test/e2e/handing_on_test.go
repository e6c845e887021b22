package e2e

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rules "github.com/payctl/payctl/internal/service"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	webhooks "github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/testkit"
	"github.com/payctl/payctl/internal/wait"
)

// receiver starts a receiver of events that appends a line for each event to a file: `receiver NAME FILE [CA]` sets
// NAME to its URL. With CA it uses TLS and writes its certificate to that file. While a file refuse exists, it answers
// events with the status in that file.
func receiver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: receiver NAME FILE [CA]")
	}
	file, err := os.OpenFile(ts.MkAbs(args[1]), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	refuse := ts.MkAbs("refuse")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, err := os.ReadFile(refuse); err == nil {
			code := 0
			_, _ = fmt.Sscan(string(status), &code)
			w.Header().Set("Location", "http://"+r.Host+"/elsewhere")
			w.WriteHeader(code)
			return
		}
		body, _ := io.ReadAll(r.Body)
		field := r.Header.Get
		fmt.Fprintln(file, r.URL.Path, "mine="+field("X-Mine"), "client="+field("Payctl-Client"), field("Webhook-Id"),
			field("Webhook-Timestamp"), field("Webhook-Signature"), string(body))
	}))
	if len(args) == 3 {
		server.StartTLS()
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), ca, 0o600))
	} else {
		server.Start()
	}
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// A badReceiver works for a while. Then, for half as long, it is absent, answers 500, hangs, or dies after it has read
// an event.
type badReceiver struct {
	t       *testing.T
	secret  string
	failing atomic.Int32 // one of the failures; 0 means none
	changed chan struct{}

	mu       sync.Mutex
	first    []string       // event ids, in the order of their first attempts
	attempts map[string]int // by event id
	acked    map[string]int
}

const (
	absent = iota + 1
	refuses
	hangs
	dies

	worksFor, failsFor = 400 * time.Millisecond, 200 * time.Millisecond
)

// run makes the receiver work and fail in turn until the context ends.
func (r *badReceiver) run(ctx context.Context, address string) {
	for turn := int32(0); ctx.Err() == nil; turn++ {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			continue
		}
		server := &http.Server{Handler: r}
		r.failing.Store(0)
		go func() { _ = server.Serve(listener) }()
		_ = wait.Sleep(ctx, worksFor)
		failure := absent + turn%dies
		if r.failing.Store(failure); failure == absent {
			_ = server.Shutdown(ctx) // sends the responses of acknowledged events
		}
		_ = wait.Sleep(ctx, failsFor)
		r.mu.Lock() // a response is either sent or not counted
		_ = server.Close()
		r.mu.Unlock()
	}
}

func (r *badReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender was killed
	}
	id := request.Header.Get("Webhook-Id")
	var event payments.Event
	verified := webhooks.Verify(r.secret, request.Header, body)
	if read := json.Unmarshal(body, &event); verified != nil || read != nil || event.ID != id {
		r.t.Errorf("%s: %v, %v", body, verified, read)
	}
	r.mu.Lock()
	if r.attempts[id]++; r.attempts[id] == 1 {
		r.first = append(r.first, id)
	}
	failing := r.failing.Load()
	if failing == 0 {
		w.WriteHeader(http.StatusNoContent)
		if http.NewResponseController(w).Flush() == nil {
			r.acked[id]++
		}
	}
	r.mu.Unlock()
	switch failing {
	case refuses:
		w.WriteHeader(http.StatusInternalServerError)
	case hangs:
		<-request.Context().Done()
		panic(http.ErrAbortHandler)
	case absent, dies:
		panic(http.ErrAbortHandler) // it has read the event, but the sender cannot know
	}
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (r *badReceiver) ackedEvents() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.acked)
}

// TestEventsAreHandedOnWithoutLoss forwards events to a receiver that fails a third of the time. Meanwhile it kills
// payctl.
func TestEventsAreHandedOnWithoutLoss(t *testing.T) {
	t.Parallel()
	accounts, kills := 2500, 20 // an account has two events
	if testing.Short() || testkit.Raced {
		accounts, kills = 200, 5
	}
	service, url := serveWith(t, refserver.Config{Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual}}, os.Getenv)
	m := newMachine(t, url)
	world, err := service.Worlds.Of(t.Context(), t.Name())
	require.NoError(t, err)
	person := payments.NewAccount{
		Type: "individual", FirstName: "Ada", LastName: "L", Email: "ada@example.com", Country: "GB",
	}
	for i := range accounts {
		_, err := world.CreateAccount(t.Context(), person, rules.WriteKey{Key: strconv.Itoa(i)})
		require.NoError(t, err)
	}
	var events []string
	for after := ""; ; {
		page, err := world.ListEvents(t.Context(), payments.EventFilter{After: after, Limit: payments.LargestPage})
		require.NoError(t, err)
		if len(page.Data) == 0 {
			break
		}
		for _, event := range page.Data {
			events = append(events, event.ID)
		}
		after = page.Cursor
	}
	require.Len(t, events, 2*accounts)

	secret, file := webhooks.NewSecret(), filepath.Join(m.dir, "secret")
	require.NoError(t, os.WriteFile(file, []byte(secret), 0o600))
	address := shortAddress(t)
	r := &badReceiver{
		t: t, secret: secret, changed: make(chan struct{}, 1), attempts: map[string]int{}, acked: map[string]int{},
	}
	var receiving sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	receiving.Go(func() { r.run(ctx, address) })
	for run := range kills + 1 {
		cmd := m.command("listen", "--forward-to", "http://"+address, "--secret-file", file, "--resume", "a",
			"--after", "beginning", "-q")
		var said strings.Builder
		cmd.Stderr = &said
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for r.ackedEvents() < (run+1)*len(events)/(kills+1) {
			select {
			case <-r.changed:
			case err := <-ended:
				t.Fatalf("%v: %s", err, said.String())
			}
		}
		require.NoError(t, cmd.Process.Kill())
		<-ended
	}
	stop()
	receiving.Wait()
	require.Equal(t, events, r.first, "first attempts are in order")
	repeated := 0
	for _, id := range events {
		require.Positive(t, r.acked[id], id)
		repeated += r.acked[id] - 1
	}
	require.LessOrEqual(t, repeated, kills, "an event is sent again only if payctl was killed before it saved the cursor")
}
