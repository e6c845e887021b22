package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/test/paytest"
)

// recorded keeps the summaries of all responses.
type recorded struct {
	mu  sync.Mutex
	all []server.ResponseSummary
}

func (r *recorded) record(response server.ResponseSummary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, response)
}

// last waits until an operation has had so many responses, and returns the latest: a client may have its response before it is
// recorded.
func (r *recorded) last(t testing.TB, operation string, count int) (last server.ResponseSummary) {
	t.Helper()
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		found := 0
		for _, response := range r.all {
			if response.Operation != nil && response.Operation.ID == operation {
				found++
				last = response
			}
		}
		return found == count
	}, patience, time.Millisecond)
	return last
}

// wrongs is a world that answers with what the contract does not have.
type wrongs struct{ server.World }

func (wrongs) NewRequestID() string { return "req_1" }
func (wrongs) Instance() string     { return "wld_1" }
func (wrongs) Now() time.Time       { return time.Time{} }

func (wrongs) NextFault(context.Context, string, bool) (time.Duration, *payments.SandboxFault, error) {
	return 0, nil, nil
}

func (wrongs) LogRequest(string, payments.SandboxRequest, string, payments.RequestContent) {}

func (wrongs) GetAccount(context.Context, string, service.ReadOptions) (service.State[payments.Account], error) {
	account := payments.Account{ID: "acc_1", Type: "robot", Email: "ada@example.com", Country: "GB", KYCStatus: payments.KYCStatusApproved}
	return service.State[payments.Account]{Value: account, ETag: `"1"`}, nil
}

func (wrongs) ListEvents(context.Context, payments.EventFilter) (payments.EventPage, error) {
	panic("no such thing")
}

// wrongIdentity accepts any token.
type wrongIdentity struct {
	server.Identity
	world server.World
}

func (i wrongIdentity) OpenSession(context.Context, string) (server.Session, error) {
	scopes := []string{"accounts:read", "kyc:read", "contacts:read", "transfers:read"}
	return server.Session{World: i.world, Scopes: scopes, Instance: "wld_1"}, nil
}

// A response that violates the contract is logged and reported, and sent all the same.
func TestCheckFindsAWrongAnswer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	responses := &recorded{}
	handler := server.New(server.Config{
		Identity: wrongIdentity{world: wrongs{}}, Check: true, OnResponse: responses.record, Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	ask := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		r.Header.Set("Authorization", "Bearer x")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		return recorder
	}
	answer := ask("/accounts/acc_1/v1")
	require.Equal(t, http.StatusOK, answer.Code)
	require.Contains(t, answer.Body.String(), "robot")
	got := responses.last(t, "getAccount", 1)
	require.Equal(t, "getAccount", got.Operation.ID)
	require.Len(t, got.Violations, 1)
	require.Equal(t, "body.type", got.Violations[0].Place)
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	for _, part := range []string{`"operation":"getAccount"`, `"place":"body.type"`, `"status":200`} {
		require.Contains(t, log.String(), part)
	}
	log.Reset()
	require.Equal(t, http.StatusInternalServerError, ask("/events/v1").Code)
	require.Empty(t, responses.last(t, "listEvents", 1).Violations, "a failure of the service is an answer that the contract has")
	require.Equal(t, payments.KindInternal, responses.last(t, "listEvents", 1).Problem)
	require.Equal(t, "req_1", responses.last(t, "listEvents", 1).RequestID)
	require.NotContains(t, log.String(), "breaks the contract")
}

// Responses that faults corrupt are not checked; those that they only replace or delay are. All faults are reported.
func TestCheckAndFaults(t *testing.T) {
	t.Parallel()
	responses := &recorded{}
	a, _ := unchecked(t, refserver.Config{Check: true, OnResponse: responses.record})
	a.do("POST", accountsPath, adaBody)
	count := 0
	for rule, status := range map[string]int{
		"listAccounts=drop,times:1": 0, "listAccounts=truncate,times:1": 200, "listAccounts=malformed,percent:100": 200,
		"listAccounts=reset": 0, "listAccounts=status:503,retry-after:2": 503, "listAccounts=status:429": 429, "listAccounts=status:599": 599,
		"listAccounts=delay:1ms": 200, "listAccounts=expired-token": 401,
	} {
		a.fault(rule)
		_, _ = a.try("GET", accountsPath, "")
		count++
		got := responses.last(t, "listAccounts", count)
		require.Empty(t, got.Violations, rule)
		require.Len(t, got.Faults, 1, rule)
		applied, _, _ := strings.Cut(rule, ",times")
		applied, _, _ = strings.Cut(applied, ",percent")
		require.Equal(t, applied, got.Faults[0])
		require.Equal(t, status, got.Status, rule)
	}
}

// corrupted is a world whose responses fit their schemas but violate invariants.
type corrupted struct {
	server.World
	transfer func(*payments.Transfer)
}

func (s corrupted) GetTransfer(ctx context.Context, id string, condition service.ReadOptions) (service.State[payments.Transfer], error) {
	reading, err := s.World.GetTransfer(ctx, id, condition)
	s.transfer(&reading.Value)
	return reading, err
}

// The service finds a response that breaks an invariant, and none where all is true.
func TestCheckKnowsTheInvariants(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	id := a.newTransfer(a.saved("base", "USDC"))
	a.Advance(t, time.Minute) // the deposit arrives
	world, err := a.Worlds.Of(t.Context(), paytest.ClientID)
	require.NoError(t, err)
	violations := func(service corrupted) (places []string) {
		responses := &recorded{}
		handler := server.New(server.Config{Identity: wrongIdentity{world: service}, Check: true,
			OnResponse: responses.record})
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/transfers/"+id+"/v1", nil)
		r.Header = http.Header{"Authorization": {"Bearer x"}}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		for _, violation := range responses.all[0].Violations {
			places = append(places, violation.Place)
		}
		return places
	}
	one, two := money.MustDecimal("1"), money.MustDecimal("2")
	for name, corrupt := range map[string]func(*payments.Transfer){
		"":                   func(*payments.Transfer) {},
		"money that is gone": func(t *payments.Transfer) { t.Source.Amount = &two },
		"money from nowhere": func(t *payments.Transfer) { t.Destination.Amount = &one },
		"another rate":       func(t *payments.Transfer) { t.ExchangeRate = two },
		"no source":          func(t *payments.Transfer) { t.Source.Amount = nil },
		"no residue":         func(t *payments.Transfer) { t.RoundingResidue = nil },
	} {
		found := violations(corrupted{world, corrupt})
		require.Equal(t, name == "", len(found) == 0, name)
	}
}
