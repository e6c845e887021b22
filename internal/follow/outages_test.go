package follow_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A host runs a reference service on one folder, again and again, behind an address that stays.
type host struct {
	t      *testing.T
	config refserver.Config
	wrap   func(http.Handler) http.Handler // nil: the service as it is
	addr   string                          // empty before the first start
	*refserver.Server
	stop func()

	mu     sync.Mutex
	behind string // where the service listens
}

func (h *host) start() {
	if h.addr == "" {
		h.open()
	}
	var err error
	h.Server, err = refserver.New(h.config)
	require.NoError(h.t, err)
	if h.wrap != nil {
		h.Handler = h.wrap(h.Handler)
	}
	address, stop := paytest.Listen(h.t, h.Server, nil)
	h.mu.Lock()
	h.behind = address
	h.mu.Unlock()
	h.stop = sync.OnceFunc(func() {
		h.mu.Lock()
		h.behind = "" // another process may get the port
		h.mu.Unlock()
		stop()
	})
}

// open begins to pass on connections to wherever the service listens. While it listens nowhere, they break.
func (h *host) open() {
	front, err := (&net.ListenConfig{}).Listen(h.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(h.t, err)
	h.addr = front.Addr().String()
	h.t.Cleanup(func() { _ = front.Close() })
	go func() {
		for {
			near, err := front.Accept()
			if err != nil {
				return
			}
			h.mu.Lock()
			behind := h.behind
			h.mu.Unlock()
			far, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", behind)
			if err != nil {
				_ = near.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					_, _ = near.Close(), far.Close()
				}()
			}
		}
	}()
}

func (h *host) world() *sandbox.World {
	world, err := h.Worlds.Of(h.t.Context(), paytest.ClientID)
	require.NoError(h.t, err)
	return world
}

func (h *host) fail(rules ...string) {
	faults := payments.SandboxFaults{Faults: []payments.SandboxFault{}}
	for _, text := range rules {
		fault, err := payments.ParseFaultRule(text)
		require.NoError(h.t, err)
		faults.Faults = append(faults.Faults, fault)
	}
	_, err := h.world().SetSandboxFaults(h.t.Context(), faults)
	require.NoError(h.t, err)
}

func (h *host) create(n int) {
	_, err := h.world().CreateAccount(h.t.Context(), payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d@example.com", n), Country: "GB",
	}, payments.Idempotency{})
	require.NoError(h.t, err)
}

// events are the changes of status in the service's own log behind a cursor.
func (h *host) events(after string) (all []payments.Event, cursor string) {
	for {
		page, err := h.world().ListEvents(h.t.Context(), payments.EventFilter{
			After: after, Limit: 100, Types: []payments.EventType{payments.EventTypeKYCStatusChanged},
		})
		require.NoError(h.t, err)
		if after = page.Cursor; len(page.Data) == 0 {
			return all, after
		}
		all = append(all, page.Data...)
	}
}

// tokens are the credentials of the test client, renewed when they run out.
type tokens struct {
	client *client.Client
	mu     sync.Mutex
	token  string
}

// Token implements client.TokenSource.
func (s *tokens) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(ctx)
}

func (s *tokens) get(ctx context.Context) (string, error) {
	if s.token != "" {
		return s.token, nil
	}
	token, err := s.client.CreateAccessToken(ctx, paytest.ClientID, paytest.ClientSecret, payments.AccessTokenRequest{})
	s.token = token.AccessToken
	return s.token, err
}

// Renew implements client.TokenSource.
func (s *tokens) Renew(ctx context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == rejected {
		s.token = ""
	}
	return s.get(ctx)
}

// connect makes a client of the service.
func (h *host) connect(pace func(context.Context) error) *client.Client {
	config := client.Config{
		BaseURL: &url.URL{Scheme: "http", Host: h.addr}, Retries: 2, Pace: pace,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	plain, err := client.New(config)
	require.NoError(h.t, err)
	config.Token = &tokens{client: plain}
	c, err := client.New(config)
	require.NoError(h.t, err)
	h.t.Cleanup(func() {
		plain.CloseIdleConnections()
		c.CloseIdleConnections()
	})
	return c
}

// checks are the identity checks of all accounts.
func checks(service payments.Reads) follow.Subjects {
	return follow.Subjects{
		Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
		Of: func(e payments.Event) follow.State {
			return follow.State{ID: e.SubjectID, Status: *e.To, Since: e.OccurredAt, Reasons: e.Data.Reasons}
		},
		Read: func(ctx context.Context, id string) (follow.State, error) {
			r, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
			return follow.State{ID: id, Status: string(r.Value.Status)}, err
		},
		List: func(ctx context.Context, cursor string) (states []follow.State, next string, err error) {
			page, err := service.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100, Cursor: cursor}})
			for _, a := range page.Data {
				states = append(states, follow.State{ID: a.ID, Status: string(a.KYCStatus)})
			}
			if page.NextCursor != nil {
				next = *page.NextCursor
			}
			return states, next, err
		},
		Membership: func(payments.Event) follow.Membership { return follow.Member },
	}
}

// A witness collects the reports of an engine, in order.
type witness struct {
	ended chan error // how the watch ended, if it did
	mu    sync.Mutex
	lines []string
	news  chan struct{}
}

func newWitness() *witness { return &witness{ended: make(chan error, 1), news: make(chan struct{}, 1)} }

func line(id string, from *string, to string) string {
	if from == nil {
		return id + " > " + to
	}
	return id + " " + *from + " > " + to
}

func (w *witness) each(c follow.Change) error {
	w.mu.Lock()
	w.lines = append(w.lines, line(c.ID, c.From, c.Status))
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	return nil
}

// wait returns the reports when there are n of them.
func (w *witness) wait(t *testing.T, n int) []string {
	t.Helper()
	over := time.After(time.Minute)
	for {
		w.mu.Lock()
		lines := w.lines
		w.mu.Unlock()
		if len(lines) >= n {
			return lines
		}
		select {
		case <-w.news:
		case err := <-w.ended:
			t.Fatalf("the watch ended: %v", err)
		case <-over:
			t.Fatalf("%d changes were reported, not %d", len(lines), n)
		}
	}
}

// Half an hour of the service's time with every fault, expiring tokens and restarts: the reports are the changes in the
// service's log, in the same order, none missing and none twice.
func TestWatchThroughOutages(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			h := &host{t: t, config: refserver.Config{
				Data: t.TempDir(), TokenLifetime: 3 * time.Minute,
				Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start},
			}}
			met := &troubles{}
			h.wrap = met.count
			h.start()
			defer func() { h.stop() }()
			for n := range 20 {
				h.create(n)
			}
			_, begun := h.events("")
			c := h.connect(nil)
			w := newWitness()
			e := &follow.Engine{Service: c, Subjects: checks(c), All: true, Interval: time.Millisecond, Each: w.each}
			e.Hasten()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, err := e.Run(ctx)
				w.ended <- err
			}()
			first := w.wait(t, 20)
			require.Len(t, first, 20)
			for step := range 60 {
				switch random.IntN(4) {
				case 0:
					h.fail("*=status:503,times:8", "*=expired-token,times:2")
				case 1:
					h.fail("*=status:429,retry-after:1,times:2", "*=drop,percent:30", "*=truncate,percent:30,times:4")
				case 2:
					h.fail("*=reset,percent:50", "*=malformed,percent:20", "createAccessToken=status:500,times:2")
				default:
					h.fail()
				}
				if random.IntN(8) == 0 {
					h.stop()
					h.start()
					met.restarts++
				}
				if random.IntN(3) == 0 {
					h.create(100 + step)
				}
				for range random.IntN(6) {
					h.move(random)
				}
				require.NoError(t, h.world().Advance(t.Context(), 30*time.Second))
				if random.IntN(3) == 0 { // else the next trouble comes before the watch has caught up
					h.fail()
					all, _ := h.events(begun)
					w.wait(t, 20+len(all))
				}
			}
			for n, trouble := range []string{"*=status:429,retry-after:1,times:1", "*=status:503,times:1", "*=expired-token,times:1"} {
				status := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusUnauthorized}[n]
				for round := 0; round < 50 && !met.had(status); round++ { // a fast machine may not have met it yet
					h.fail(trouble)
					require.NoError(t, h.world().Advance(t.Context(), 4*time.Minute)) // ends a stream, with its token
					h.create(1000 + 100*n + round)
					all, _ := h.events(begun)
					w.wait(t, 20+len(all))
				}
			}
			h.fail()
			all, _ := h.events(begun)
			reported := w.wait(t, 20+len(all))
			cancel()
			require.ErrorIs(t, <-w.ended, context.Canceled)
			var logged []string
			for _, event := range all {
				logged = append(logged, line(event.SubjectID, event.From, *event.To))
			}
			require.Greater(t, len(logged), 60)
			met.all(t)
			require.Equal(t, strings.Join(logged, "\n"), strings.Join(reported[20:], "\n"))
		})
	}
}

// troubles counts the troubles of a watch.
type troubles struct {
	mu       sync.Mutex
	statuses map[int]int
	restarts int
}

// count counts the responses of a service by status.
func (m *troubles) count(service http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.statuses == nil {
				m.statuses = map[int]int{}
			}
			m.statuses[seen.status]++
		}()
		service.ServeHTTP(seen, r)
	})
}

// had reports whether there was a response with a status.
func (m *troubles) had(status int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.statuses[status] > 0
}

// all checks that there was some of each: a test of what did not happen tests nothing.
func (m *troubles) all(t *testing.T) {
	t.Helper()
	require.NotZero(t, m.restarts)
	for _, status := range []int{http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		require.True(t, m.had(status), "%d", status)
	}
}

// A statusWriter keeps the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// move gives the identity check of some account another status.
func (h *host) move(random *rand.Rand) {
	page, err := h.world().ListAccounts(h.t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}})
	require.NoError(h.t, err)
	account := page.Data[random.IntN(len(page.Data))]
	for _, next := range []payments.KYCStatus{
		payments.KYCStatusUnderReview, payments.KYCStatusExpired, payments.KYCStatusPending, payments.KYCStatusResubmissionRequired, payments.KYCStatusApproved,
	} {
		if account.KYCStatus.CanBecome(next) {
			_, err := h.world().SetSandboxKYC(h.t.Context(), account.ID, payments.SandboxKYC{Status: next})
			require.NoError(h.t, err)
			return
		}
	}
}
