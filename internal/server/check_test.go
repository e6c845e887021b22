package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

// wrongIdentity accepts any token.
type wrongIdentity struct {
	server.Identity
	world server.World
}

func (i wrongIdentity) OpenSession(context.Context, string) (server.Session, error) {
	scopes := []string{"accounts:read", "kyc:read", "contacts:read", "transfers:read"}
	return server.Session{World: i.world, Scopes: scopes, Instance: "wld_1"}, nil
}

// corrupted is a world whose transfers are not what they were.
type corrupted struct {
	server.World
	corrupt func(*payments.Transfer)
}

func (s corrupted) GetTransfer(
	ctx context.Context, id string, condition service.ReadOptions,
) (service.State[payments.Transfer], error) {
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
	world := must(a.Worlds.Of(t.Context(), paytest.ClientID))
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
		var got server.ResponseSummary
		handler := server.New(server.Config{
			Identity: wrongIdentity{world: corrupted{world, test.corrupt}}, Check: true,
			OnResponse: func(r server.ResponseSummary) { got = r },
			Log:        slog.New(slog.NewJSONHandler(&log, nil)),
		})
		r, w := httptest.NewRequestWithContext(t.Context(), "GET", "/transfers/"+id+"/v1", nil), httptest.NewRecorder()
		r.Header = http.Header{"Authorization": {"Bearer x"}}
		handler.ServeHTTP(w, r)
		require.Equal(t, test.status, w.Code, name)
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
