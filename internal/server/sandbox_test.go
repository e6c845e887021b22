package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

const (
	clockPath   = "/sandbox/clock/v1"
	advancePath = "/sandbox/clock/advance/v1"
)

// as is another client of the same service.
func (a *api) as(client string) *api {
	a.t.Helper()
	other := *a
	answer := a.do("POST", tokenPath, "", "Authorization", basic(client, "secret-of-"+client))
	require.Equal(a.t, http.StatusOK, answer.status, answer)
	other.token = answer.member("access_token").(string)
	return &other
}

// good reads a successful answer as a T.
func good[T any](a *answer) T {
	a.t.Helper()
	require.Less(a.t, a.status, 300, a)
	return decode[T](a)
}

// An expired token opens the sandbox and nothing else, so that a client that advances the clock does not lock itself out.
func TestExpiredTokenOpensTheSandbox(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	clock := good[payments.SandboxClock](a.do("POST", advancePath, `{"duration":"2h"}`))
	require.Equal(t, paytest.Start.Add(2*time.Hour), clock.Now)
	refused := a.do("GET", accountsPath, "")
	requireProblem(t, refused, payments.KindUnauthenticated)
	require.Contains(t, refused.header.Get("WWW-Authenticate"), `error="invalid_token"`)
	require.Equal(t, clock, good[payments.SandboxClock](a.do("GET", clockPath, "")))

	requireProblem(t, a.do("GET", clockPath, "", "Authorization", "Bearer nobody"), payments.KindUnauthenticated)
}

func TestNoSandbox(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{NoSandbox: true})
	for _, op := range contract.Operations {
		if strings.HasPrefix(op.Path, "/sandbox/") {
			requireProblem(t, a.do(op.Method, contract.Expand(op.Path, "x"), ""), payments.KindNotFound)
		}
	}
	require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status)
}

// An advance has one effect for each key, also if it moves the clock beyond the lifetime of its own key.
func TestAdvanceBeyondItsKey(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for range 2 {
		answer := a.do("POST", advancePath, `{"duration":"P3D"}`, "Idempotency-Key", "k")
		require.Equal(t, paytest.Start.Add(72*time.Hour), good[payments.SandboxClock](answer).Now)
	}
	require.Equal(t, paytest.Start.Add(72*time.Hour), good[payments.SandboxClock](a.do("GET", clockPath, "")).Now)
}
