package follow_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
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

// A host runs a reference service on one folder, again and again. It is the transport of its clients, which finds the
// service at its present address, and counts the statuses of its responses.
type host struct {
	t *testing.T
	*refserver.Server
	config refserver.Config
	end    func()

	mu       sync.Mutex
	address  string // empty while the service is stopped
	statuses map[int]int
}

func (h *host) start() {
	var err error
	h.Server, err = refserver.New(h.config)
	require.NoError(h.t, err)
	address, end := paytest.Listen(h.t, h.Server, nil)
	h.end = end
	h.moveTo(address)
}

func (h *host) stop() {
	h.moveTo("")
	h.end()
}

func (h *host) moveTo(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.address = address
}

// RoundTrip implements http.RoundTripper.
func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	address := h.address
	h.mu.Unlock()
	if address == "" {
		return nil, errors.New("connection refused")
	}
	r = r.Clone(r.Context())
	r.URL.Host = address
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		h.mu.Lock()
		h.statuses[response.StatusCode]++
		h.mu.Unlock()
	}
	return response, err
}

// had reports whether there was a response with a status.
func (h *host) had(status int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.statuses[status] > 0
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

// changes are those in the service's own log behind a cursor.
func (h *host) changes(after string) (lines []string, cursor string) {
	for {
		page, err := h.world().ListEvents(h.t.Context(), payments.EventFilter{
			After: after, Limit: 100, Types: []payments.EventType{payments.EventTypeKYCStatusChanged},
		})
		require.NoError(h.t, err)
		if after = page.Cursor; len(page.Data) == 0 {
			return lines, after
		}
		for _, e := range page.Data {
			lines = append(lines, line(e.SubjectID, e.From, *e.To))
		}
	}
}

func line(id string, from *string, to string) string {
	if from == nil {
		return id + " > " + to
	}
	return id + " " + *from + " > " + to
}

// tokens are the credentials of the test client, renewed when they run out.
type tokens struct {
	client *client.Client
	mu     sync.Mutex
	token  string
}

// Token implements client.TokenSource.
func (s *tokens) Token(ctx context.Context) (string, error) { return s.Renew(ctx, "") }

// Renew implements client.TokenSource.
func (s *tokens) Renew(ctx context.Context, rejected string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != rejected {
		return s.token, nil
	}
	s.token = ""
	token, err := s.client.CreateAccessToken(ctx, paytest.ClientID, paytest.ClientSecret, payments.AccessTokenRequest{})
	s.token = token.AccessToken
	return s.token, err
}

// connect makes a client of the service.
func (h *host) connect() *client.Client {
	config := client.Config{
		BaseURL: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, Retries: 2, Transport: h,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	plain, err := client.New(config)
	require.NoError(h.t, err)
	config.Token = &tokens{client: plain}
	c, err := client.New(config)
	require.NoError(h.t, err)
	return c
}

// checks are the identity checks of all accounts.
func checks(service payments.Reads) follow.Subjects {
	return follow.Subjects{
		Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
		Of: func(e payments.Event) follow.State {
			return follow.State{ID: e.SubjectID, Status: *e.To, Since: e.OccurredAt}
		},
		Read: func(ctx context.Context, id string) (follow.State, error) {
			r, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
			return follow.State{ID: id, Status: string(r.Value.Status), Since: r.Value.UpdatedAt}, err
		},
		List: func(ctx context.Context, cursor string) (states []follow.State, next string, err error) {
			page, err := service.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100, Cursor: cursor}})
			for _, a := range page.Data {
				states = append(states, follow.State{ID: a.ID, Status: string(a.KYCStatus), Since: a.UpdatedAt})
			}
			if page.NextCursor != nil {
				next = *page.NextCursor
			}
			return states, next, err
		},
		IsMember: func(context.Context, payments.Event) (bool, error) { return true, nil },
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
			h := &host{t: t, statuses: map[int]int{}, config: refserver.Config{
				Data: t.TempDir(), TokenLifetime: 3 * time.Minute,
				Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start},
			}}
			h.start()
			for n := range 20 {
				h.create(n)
			}
			_, begun := h.changes("")
			c := h.connect()
			reported := make(chan string, 10_000)
			e := &follow.Engine{Service: c, Subjects: checks(c), All: true, Interval: time.Millisecond, Each: func(c follow.Change) error {
				reported <- line(c.ID, c.From, c.Status)
				return nil
			}}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := e.Run(ctx)
				ended <- err
			}()
			next := func() string {
				select {
				case text := <-reported:
					return text
				case err := <-ended:
					t.Fatalf("the watch ended: %v", err)
					return ""
				}
			}
			for range 20 {
				require.Contains(t, next(), " > ")
			}
			seen := 0
			catchUp := func() {
				logged, _ := h.changes(begun)
				for ; seen < len(logged); seen++ {
					require.Equal(t, logged[seen], next())
				}
			}
			restarts := 0
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
					restarts++
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
					catchUp()
				}
			}
			require.NotZero(t, restarts)
			for status, trouble := range map[int]string{
				429: "*=status:429,retry-after:1,times:1", 503: "*=status:503,times:1", 401: "*=expired-token,times:1",
			} {
				for round := 0; round == 0 || !h.had(status); round++ { // a fast machine may not have met it yet
					require.Less(t, round, 50, "%d", status)
					h.fail(trouble)
					require.NoError(t, h.world().Advance(t.Context(), 4*time.Minute)) // ends a stream, with its token
					h.create(1000*status + round)
					catchUp()
				}
			}
			h.fail()
			catchUp()
			require.Greater(t, seen, 60)
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
			require.Empty(t, reported)
			h.stop()
		})
	}
}
