package server_test

import (
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/test/paytest"
)

// machine is a machine's clock that the test moves.
type machine struct {
	mu  sync.Mutex
	now time.Time
}

func (m *machine) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *machine) advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

func limited(t *testing.T, requests int, window time.Duration) (*api, *machine) {
	clock := &machine{now: paytest.Start}
	return run(t, refserver.Config{RateLimit: &server.RateLimit{Requests: requests, Window: window, Now: clock.Now}}), clock
}

// left is what the answer says is left, and in how many seconds all is again.
func left(t *testing.T, a *answer) (r, reset int) {
	t.Helper()
	_, err := fmt.Sscanf(a.header.Get("RateLimit"), `"default";r=%d;t=%d`, &r, &reset)
	require.NoError(t, err, a.header)
	return r, reset
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	a, clock := limited(t, 6, time.Minute) // one more each ten seconds
	for i := range 6 {
		answer := a.do("GET", accountsPath, "")
		require.Equal(t, http.StatusOK, answer.status)
		require.Equal(t, `"default";q=6;w=60`, answer.header.Get("RateLimit-Policy"))
		r, reset := left(t, answer)
		require.Equal(t, []int{5 - i, 10 * (i + 1)}, []int{r, reset})
	}
	refused := a.do("POST", accountsPath, adaBody)
	requireProblem(t, refused, payments.KindRateLimited)
	require.Equal(t, "10", refused.header.Get("Retry-After"))
	require.Equal(t, `"default";r=0;t=60`, refused.header.Get("RateLimit"))
	require.NotEmpty(t, refused.header.Get("Payctl-World"))

	clock.advance(9500 * time.Millisecond)
	refused = a.do("GET", accountsPath, "")
	require.Equal(t, "1", refused.header.Get("Retry-After"), "what is refused does not count")
	require.Equal(t, `"default";r=0;t=51`, refused.header.Get("RateLimit"), "a part of a second is one")
	clock.advance(500 * time.Millisecond)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
	require.Equal(t, http.StatusTooManyRequests, a.do("GET", accountsPath, "").status)

	a.Advance(t, 30*time.Minute)
	require.Equal(t, http.StatusTooManyRequests, a.do("GET", tokenPath, "").status, "the world's clock does not count")
	clock.advance(time.Hour)
	r, reset := left(t, a.do("GET", "/accounts/nobody/v1", ""))
	require.Equal(t, []int{5, 10}, []int{r, reset}, "no more come back than there were")
}

// Each client has its own; who shows none counts for the address; the sandbox and what is open to all are free.
func TestRateLimitsOfOtherClients(t *testing.T) {
	t.Parallel()
	a, _ := limited(t, 3, time.Second) // the login of run was the first of the address
	for range 3 {
		require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
	}
	require.Equal(t, http.StatusTooManyRequests, a.do("GET", accountsPath, "").status)
	for _, path := range []string{"/healthz", "/openapi.json", "/problems/rate-limited", "/sandbox/clock/v1", "/sandbox/requests/v1"} {
		answer := a.do("GET", path, "")
		require.Equal(t, http.StatusOK, answer.status, path)
		require.NotContains(t, answer.header, http.CanonicalHeaderKey("RateLimit"), path)
	}
	logged := a.do("GET", "/sandbox/requests/v1?limit=1", "")
	require.Contains(t, logged.body, `"status":429`)
	require.Contains(t, logged.body, `"requestId":"req_`)

	other := a.as("other") // logs in: the second of the address
	require.Equal(t, http.StatusOK, other.do("GET", accountsPath, "").status)
	requireProblem(t, a.do("GET", accountsPath, "", "Authorization", "Bearer nobody"), payments.KindUnauthenticated)
	for _, credentials := range []string{basic(paytest.ClientID, paytest.ClientSecret), basic(paytest.ClientID, "wrong"), ""} {
		answer := a.do("POST", tokenPath, "", "Authorization", credentials)
		requireProblem(t, answer, payments.KindRateLimited)
		require.NotContains(t, answer.header, "Www-Authenticate", "the credentials are not looked at")
	}
	requireProblem(t, a.do("GET", accountsPath, "", "Authorization", "Bearer nobody"), payments.KindRateLimited)
	require.Equal(t, http.StatusOK, other.do("GET", accountsPath, "").status, "who is known does not count for the address")
}

// Of many requests at once, as many are answered as the limit allows, and each of the others gets a Retry-After.
func TestRateLimitOfManyAtOnce(t *testing.T) {
	t.Parallel()
	const most = 50
	a, _ := limited(t, most, time.Minute)
	var answered, refused atomic.Int64
	var all sync.WaitGroup
	for range 4 * most {
		all.Go(func() {
			switch answer := a.do("GET", accountsPath, ""); {
			case answer.status == http.StatusOK:
				answered.Add(1)
			case answer.status == http.StatusTooManyRequests && answer.header.Get("Retry-After") != "":
				refused.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, most, answered.Load())
	require.EqualValues(t, 3*most, refused.Load())
}

// The success of every operation that a limit holds has the limit's headers in the contract, and no other's does.
func TestLimitedOperationsAreDocumented(t *testing.T) {
	t.Parallel()
	a, _ := limited(t, 1, time.Hour)
	a.do("GET", accountsPath, "")
	for _, op := range contract.Operations {
		answer := a.do(op.Method, contract.Expand(op.Path, "x", "y"), "")
		documented := slices.ContainsFunc(op.ResponseFor(op.Success).Headers, func(header contract.Member) bool {
			return header.Name == textproto.CanonicalMIMEHeaderKey("RateLimit")
		})
		require.Equal(t, documented, answer.status == http.StatusTooManyRequests, "%s → %d", op.ID, answer.status)
	}
}
