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

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/reference"
	"github.com/payctl/payctl/internal/server"
)

// exchanges is an audit that keeps everything.
type exchanges struct {
	mu  sync.Mutex
	all []server.Exchange
}

func (e *exchanges) Answered(exchange server.Exchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, exchange)
}

// last is the latest answer of an operation, of which there are to be so many; whoever read it may be quicker than the
// audit.
func (e *exchanges) last(t testing.TB, operation string, count int) (last server.Exchange) {
	t.Helper()
	require.Eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		found := 0
		for _, exchange := range e.all {
			if exchange.Operation != nil && exchange.Operation.ID == operation {
				found++
				last = exchange
			}
		}
		return found == count
	}, 10*time.Second, time.Millisecond)
	return last
}

// wrongs is a service that answers with what the contract does not have.
type wrongs struct{ payments.Service }

func (wrongs) GetAccount(context.Context, string) (payments.Account, error) {
	return payments.Account{ID: "acc_1", Type: "robot", Email: "ada@example.com", Country: "GB", KYCStatus: payments.KYCStatusApproved}, nil
}

func (wrongs) ListEvents(context.Context, payments.EventFilter) (payments.EventPage, error) {
	panic("no such thing")
}

// wrongIdentity lets anybody in.
type wrongIdentity struct{ payments.Tokens }

func (wrongIdentity) OpenSession(context.Context, string) (server.Session, error) {
	return server.Session{Service: wrongs{}, Scopes: []string{"accounts:read", "kyc:read"}, World: "wld_1"}, nil
}

func (wrongIdentity) CheckAccessTokenRequest(payments.AccessTokenRequest) payments.FieldErrors {
	return nil
}

func (wrongIdentity) WatchClient(context.Context, string) (server.Watch, error) { return nil, nil }

// A wrong answer is found, logged and told, and sent all the same.
func TestCheckFindsAWrongAnswer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	audit := &exchanges{}
	handler := server.New(server.Config{
		Identity: wrongIdentity{}, Check: true, Audit: audit, Log: slog.New(slog.NewJSONHandler(&log, nil)),
		NewRequestID: func(string) string { return "req_1" },
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
	got := audit.last(t, "getAccount", 1)
	require.Equal(t, "getAccount", got.Operation.ID)
	require.Len(t, got.Violations, 1)
	require.Equal(t, "/body/type", got.Violations[0].Pointer)
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	for _, told := range []string{`"operation":"getAccount"`, `"pointer":"/body/type"`, `"reason":"The /type field must be one of`, `"status":200`} {
		require.Contains(t, log.String(), told)
	}
	log.Reset()
	require.Equal(t, http.StatusInternalServerError, ask("/events/v1").Code)
	require.Empty(t, audit.last(t, "listEvents", 1).Violations, "a failure of the service is an answer that the contract has")
	require.Equal(t, payments.KindInternal, audit.last(t, "listEvents", 1).Problem)
	require.Equal(t, "req_1", audit.last(t, "listEvents", 1).RequestID)
	require.NotContains(t, log.String(), "breaks the contract")
}

// Answers that faults damage are exempt from the check, those that they only replace or delay are not; all are told.
func TestCheckAndFaults(t *testing.T) {
	t.Parallel()
	audit := &exchanges{}
	a := broken(t, reference.Config{Check: true, Audit: audit, KYCDelay: time.Second})
	a.approved()
	count := 0
	for rule, status := range map[string]int{
		"listAccounts=drop,times:1": 0, "listAccounts=truncate,times:1": 200, "listAccounts=malformed,percent:100": 200,
		"listAccounts=reset": 0, "listAccounts=status:503,retry-after:2": 503, "listAccounts=status:429": 429, "listAccounts=status:599": 599,
		"listAccounts=delay:1ms": 200, "listAccounts=expired-token": 401,
	} {
		a.fault(rule)
		_, _ = a.try("GET", accountsPath, "")
		count++
		got := audit.last(t, "listAccounts", count)
		require.Empty(t, got.Violations, rule)
		require.Len(t, got.Faults, 1, rule)
		told, _, _ := strings.Cut(rule, ",times")
		told, _, _ = strings.Cut(told, ",percent")
		require.Equal(t, told, got.Faults[0])
		require.Equal(t, status, got.Status, rule)
	}
}
