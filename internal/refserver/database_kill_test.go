package refserver_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// The database is killed once for so many kills of servers.
const killsPerCrash = 4

// TestKillServersOfOneDatabase kills random servers of several under load, and starts others in their places. No
// acknowledged write is lost, nothing happens twice, and the events are gapless, in order and the same on every server.
func TestKillServersOfOneDatabase(t *testing.T) {
	t.Parallel()
	for left := killsOr(t, kills); left > 0; left -= perFolder {
		url, schema := pgtest.New(t)
		f := startFleet(t, refserver.Database{URL: url, Schema: schema})
		ctx, stop := context.WithCancel(t.Context())
		endLoad := f.load(ctx)
		f.follow()
		for range min(left, perFolder) {
			f.proceed()
			f.killOne()
			f.ledger.inspect(t, f.store)
		}
		stop()
		endLoad()
		f.ledger.settle(t, f.any())
		f.ledger.inspect(t, f.store)
		t.Logf("%d kills, %d writes sent, %d events, longest request %s, %d refused", min(left, perFolder),
			len(f.ledger.sent), f.requireEvents(), f.longest, f.refused.Load())
		f.stop()
	}
}

// TestKillDatabase kills the whole database under load, again and again. Meanwhile the servers answer with status 503, and
// go on as soon as it runs again.
func TestKillDatabase(t *testing.T) {
	t.Parallel()
	const perDatabase = 10
	for left := max(killsOr(t, kills)/killsPerCrash, 1); left > 0; left -= perDatabase {
		database := pgtest.Start(t)
		f := startFleet(t, refserver.Database{URL: database.URL()})
		ctx, stop := context.WithCancel(t.Context())
		endLoad := f.load(ctx)
		f.follow()
		recovery := time.Duration(0)
		for range min(left, perDatabase) {
			f.proceed()
			database.Kill(t)
			if rand.IntN(2) == 0 {
				f.requireUnready(false)
			}
			database.Restart(t)
			recovery = max(recovery, f.requireReady())
			f.ledger.inspect(t, f.store)
		}
		stop()
		endLoad()
		f.ledger.settle(t, f.any())
		f.ledger.inspect(t, f.store)
		t.Logf("%d kills, %d writes sent, %d events, longest request %s, %d refused, recovered after %s", min(left, perDatabase),
			len(f.ledger.sent), f.requireEvents(), f.longest, f.refused.Load(), recovery)
		f.stop()
	}
}

// proceed waits until some writes were acknowledged, and then until a random moment.
func (f *fleet) proceed() {
	f.t.Helper()
	const some = 5
	acknowledged := func() int {
		f.ledger.mu.Lock()
		defer f.ledger.mu.Unlock()
		return len(f.ledger.acked)
	}
	before := acknowledged()
	require.Eventually(f.t, func() bool { return acknowledged() >= before+some }, patience, time.Millisecond)
	<-time.After(rand.N(longest))
}

// requireUnready holds every server to report that it cannot be used, and to answer with status 503. Readable is whether
// requests that only read may succeed.
func (f *fleet) requireUnready(readable bool) {
	f.t.Helper()
	for slot := range fleetSize {
		c := f.server(slot)
		a, err := c.do(f.t.Context(), http.MethodGet, "/readyz", "", "")
		require.NoError(f.t, err)
		require.NoError(f.t, isUnavailable(a))
		a, err = c.do(f.t.Context(), http.MethodGet, "/healthz", "", "")
		require.NoError(f.t, err)
		require.Equal(f.t, http.StatusOK, a.status)
		a, err = c.do(f.t.Context(), http.MethodGet, "/transfers/v1", "", "")
		require.NoError(f.t, err)
		if !readable || a.status != http.StatusOK {
			require.NoError(f.t, isUnavailable(a))
		}
		a, err = c.do(f.t.Context(), http.MethodPost, "/accounts/v1", person, "")
		require.NoError(f.t, err)
		require.NoError(f.t, isUnavailable(a))
	}
}

// requireReady waits until every server can be used, and returns how long that took.
func (f *fleet) requireReady() (took time.Duration) {
	f.t.Helper()
	began := time.Now()
	for slot := range fleetSize {
		c := f.server(slot)
		require.Eventually(f.t, func() bool {
			a, err := c.do(f.t.Context(), http.MethodGet, "/readyz", "", "")
			require.NoError(f.t, err)
			return a.status == http.StatusOK
		}, patience, time.Millisecond)
	}
	return time.Since(began)
}
