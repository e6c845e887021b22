package refserver_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
)

// onEachSharedStore runs a test for each kind of store that several servers can share. The configuration is that of the
// servers.
func onEachSharedStore(t *testing.T, test func(t *testing.T, config refserver.Config)) {
	t.Helper()
	for name, config := range map[string]func(t *testing.T) refserver.Config{
		"folder": func(t *testing.T) refserver.Config { return refserver.Config{Data: t.TempDir()} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, config(t))
		})
	}
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
	onEachSharedStore(t, func(t *testing.T, config refserver.Config) {
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
	})
}
