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

// wrongIdentity accepts any token.
type wrongIdentity struct {
	server.Identity
	world server.World
}

func (i wrongIdentity) OpenSession(context.Context, string) (server.Session, error) {
	scopes := []string{"accounts:read", "kyc:read", "contacts:read", "transfers:read"}
	return server.Session{World: i.world, Scopes: scopes, Instance: "wld_1"}, nil
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

// corrupted is a world whose transfers are not what they were.
type corrupted struct {
	server.World
	corrupt func(*payments.Transfer)
}

func (s corrupted) GetTransfer(ctx context.Context, id string, condition service.ReadOptions) (service.State[payments.Transfer], error) {
	reading, err := s.World.GetTransfer(ctx, id, condition)
	s.corrupt(&reading.Value)
	return reading, err
}

// A response that breaks the contract or an invariant is logged and reported, and sent all the same.
func TestCheckFindsAWrongAnswer(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	id := a.newTransfer(a.saved("base", "USDC"))
	a.Advance(t, time.Minute) // the deposit arrives
	world, err := a.Worlds.Of(t.Context(), paytest.ClientID)
	require.NoError(t, err)
	one, two := money.MustDecimal("1"), money.MustDecimal("2")
	for name, test := range map[string]struct {
		corrupt func(*payments.Transfer)
		place   string // of the violation
		status  int
	}{
		"nothing":            {func(*payments.Transfer) {}, "", 200},
		"a state of no kind": {func(t *payments.Transfer) { t.State = "robot" }, "body.state", 200},
		"money that is gone": {func(t *payments.Transfer) { t.Source.Amount = &two }, "body", 200},
		"money from nowhere": {func(t *payments.Transfer) { t.Destination.Amount = &one }, "body", 200},
		"another rate":       {func(t *payments.Transfer) { t.ExchangeRate = two }, "body", 200},
		"no source":          {func(t *payments.Transfer) { t.Source.Amount = nil }, "body", 200},
		"no residue":         {func(t *payments.Transfer) { t.RoundingResidue = nil }, "body", 200},
		"a failure":          {func(*payments.Transfer) { panic("no such thing") }, "", 500},
	} {
		var log bytes.Buffer
		responses := &recorded{}
		handler := server.New(server.Config{
			Identity: wrongIdentity{world: corrupted{world, test.corrupt}}, Check: true, OnResponse: responses.record,
			Log: slog.New(slog.NewJSONHandler(&log, nil)),
		})
		r, w := httptest.NewRequestWithContext(t.Context(), "GET", "/transfers/"+id+"/v1", nil), httptest.NewRecorder()
		r.Header = http.Header{"Authorization": {"Bearer x"}}
		handler.ServeHTTP(w, r)
		require.Equal(t, test.status, w.Code, name)
		got := responses.last(t, "getTransfer", 1)
		require.Equal(t, test.place == "", len(got.Violations) == 0, name)
		if test.place == "" {
			require.NotContains(t, log.String(), "breaks the contract", name)
			continue
		}
		require.Contains(t, got.Violations[0].Place, test.place, name)
		for _, part := range []string{`"operation":"getTransfer"`, `"place":"` + got.Violations[0].Place, `"status":200`} {
			require.Contains(t, log.String(), part, name)
		}
	}
}
