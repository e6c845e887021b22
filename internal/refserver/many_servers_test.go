package refserver_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// inDatabase is the configuration of servers that share a database.
func inDatabase(t *testing.T) refserver.Config {
	t.Helper()
	url, schema := pgtest.New(t)
	return refserver.Config{Database: &refserver.Database{URL: url, Schema: schema}}
}

// manyServers are servers with one store, and a caller of each.
type manyServers []*caller

// serveMany runs servers with one store, and logs in at one of them.
func serveMany(t *testing.T, config refserver.Config, count int) (all manyServers) {
	t.Helper()
	first := login(t, serve(t, config), connections)
	all = manyServers{first}
	for len(all) < count {
		all = append(all, &caller{url: serve(t, config), token: first.token, http: first.http})
	}
	return all
}

// any is the caller of one of the servers.
func (m manyServers) any() *caller { return m[rand.IntN(len(m))] }

// A client has one rate limit, whichever servers it asks.
func TestManyServersHaveOneRateLimit(t *testing.T) {
	t.Parallel()
	config := inDatabase(t)
	const most = 12
	config.RateLimit = &server.RateLimit{Requests: most, Window: time.Hour}
	all := serveMany(t, config, 3)
	left := func(c *caller) (status, left int) {
		a, err := c.do(t.Context(), http.MethodGet, "/accounts/v1", "", "")
		require.NoError(t, err)
		_, err = fmt.Sscanf(a.header.Get("RateLimit"), `"default";r=%d;`, &left)
		require.NoError(t, err)
		return a.status, left
	}
	for i := range most {
		status, r := left(all.any())
		require.Equal(t, []int{http.StatusOK, most - 1 - i}, []int{status, r})
	}
	for _, c := range all {
		status, _ := left(c)
		require.Equal(t, http.StatusTooManyRequests, status)
		unknown := &caller{url: c.url, token: "unknown", http: c.http}
		_, r := left(unknown)
		require.Less(t, r, most-1, "the address has one, too: it logged in before")
	}
}

// While a fault delays a request, its key is in use at all servers. Once it is answered, each server has its response.
func TestManyServersKnowKeysInUse(t *testing.T) {
	t.Parallel()
	config := inDatabase(t)
	config.Bounds.KeyWait = time.Millisecond
	all := serveMany(t, config, 2)
	var faults payments.SandboxFaults
	all[1].read(t, http.MethodPut, "/sandbox/faults/v1",
		`{"faults":[{"operation":"createAccount","action":"delay","delay":"3s","times":1}]}`, &faults)
	first := make(chan answer, 1)
	go func() {
		a, _ := all[0].do(t.Context(), http.MethodPost, "/accounts/v1", person, "k")
		first <- a
	}()
	require.Eventually(t, func() bool {
		all[1].read(t, http.MethodGet, "/sandbox/faults/v1", "", &faults)
		return len(faults.Faults) == 0
	}, 20*time.Second, time.Millisecond)
	create := func() answer {
		a, err := all[1].do(t.Context(), http.MethodPost, "/accounts/v1", person, "k")
		require.NoError(t, err)
		return a
	}
	a := create()
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, string(a.body), payments.KindKeyInUse)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	made := <-first
	require.Equal(t, http.StatusCreated, made.status)
	a = create()
	require.Equal(t, "true", a.header.Get("Idempotency-Replayed"))
	require.Equal(t, string(made.body), string(a.body))
}
