package refserver_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// Whatever happens to the database, the servers answer with status 503 while it lasts, and go on afterwards. No
// acknowledged write is lost, and nothing happens twice.
func TestDatabaseFails(t *testing.T) {
	t.Parallel()
	database := pgtest.Start(t)
	database.Exec(t, "CREATE ROLE app LOGIN PASSWORD 'app'; GRANT CREATE ON DATABASE postgres TO app")
	f := startFleet(t, refserver.Database{URL: database.URLFor("app", "app"), Connections: 3})
	ctx, stop := context.WithCancel(t.Context())
	endLoad := f.load(ctx)
	f.follow()
	const endSessions = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'"
	for _, failure := range []struct {
		name     string
		begin    func()
		end      func()
		readable bool // requests that only read may succeed
		brief    bool // any request may succeed, since the failure does not last
	}{
		{"sessions are ended", func() { database.Exec(t, endSessions) }, func() {}, true, true},
		{"restart", func() { database.Restart(t) }, func() {}, true, true},
		{"stop", func() { database.Stop(t) }, func() { database.Restart(t) }, false, false},
		{"read-only", func() { database.SetReadOnly(t, true) }, func() { database.SetReadOnly(t, false) }, true, false},
		{
			"no connections are left",
			func() { database.Exec(t, "ALTER ROLE app CONNECTION LIMIT 0"); database.Exec(t, endSessions) },
			func() { database.Exec(t, "ALTER ROLE app CONNECTION LIMIT -1") }, false, false,
		},
		{
			"locked by another transaction",
			func() {
				database.Exec(t, "SELECT pg_sleep(0.2) FROM (SELECT 1 FROM payctl.heads FOR UPDATE) locked LIMIT 1")
			},
			func() {}, true, true,
		},
		{"hung", func() { database.Pause(t) }, func() { database.Resume(t) }, false, os.Getenv(soakKills) == ""},
	} {
		t.Log(failure.name)
		f.proceed()
		failure.begin()
		if !failure.brief {
			f.requireUnready(failure.readable)
		}
		failure.end()
		f.requireReady()
		f.ledger.inspect(t, f.store)
	}
	f.proceed()
	stop()
	endLoad()
	f.ledger.settle(t, f.any())
	f.ledger.inspect(t, f.store)
	t.Logf("%d writes sent, %d events, longest request %s, %d refused", len(f.ledger.sent), f.requireEvents(), f.longest,
		f.refused.Load())
	f.stop()
}

// A cutter passes connections to a database on, and can cut them in the middle of a commit.
type cutter struct {
	net.Listener
	socket string // of the database
	// cut is when the next connection that commits is cut.
	cut atomic.Int32
	// refuse has new connections refused.
	refuse atomic.Bool
	cuts   atomic.Int32
}

// When a connection is cut.
const (
	never int32 = iota
	beforeCommit
	afterCommit // before its response
)

func startCutter(t *testing.T, socket string) *cutter {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{Listener: listener, socket: socket}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.pass(client) })
		}
	})
	t.Cleanup(func() { // behind the service, which closes its connections
		_ = listener.Close()
		all.Wait()
	})
	return c
}

// pass passes one connection on.
func (c *cutter) pass(client net.Conn) {
	defer func() { _ = client.Close() }()
	if c.refuse.Load() {
		return
	}
	database, err := (&net.Dialer{}).DialContext(context.Background(), "unix", c.socket)
	if err != nil {
		return
	}
	defer func() { _ = database.Close() }()
	var awaited atomic.Bool // the response to a commit, which is not passed on
	go func() {
		defer func() { _ = client.Close() }()
		buffer := make([]byte, 1<<16)
		for {
			n, err := database.Read(buffer)
			if err != nil {
				return
			}
			if awaited.Load() {
				if bytes.Contains(buffer[:n], []byte("COMMIT\x00")) {
					return // it is committed
				}
				continue
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	sum := sha256.Sum256([]byte("COMMIT"))
	prepared := []byte(hex.EncodeToString(sum[:12])) // a part of the name of the prepared statement
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if bytes.Contains(buffer[:n], prepared) {
			switch {
			case c.cut.CompareAndSwap(beforeCommit, never):
				c.cuts.Add(1)
				return
			case c.cut.CompareAndSwap(afterCommit, never):
				c.cuts.Add(1)
				awaited.Store(true)
			}
		}
		if _, err := database.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// A commit whose connection breaks is looked for in the database: the client learns what happened, and it has happened
// once. If the database cannot be reached for that, the client is told to try again, and learns it then.
func TestBrokenCommit(t *testing.T) {
	t.Parallel()
	database, schema := pgtest.New(t)
	at, err := url.Parse(database)
	require.NoError(t, err)
	between := startCutter(t, filepath.Join(at.Query().Get("host"), ".s.PGSQL.5432"))
	c := login(t, serve(t, place{Database: &refserver.Database{
		URL: fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", between.Addr()), Schema: schema,
	}}.config()), connections)
	contact := c.approvedContact(t)
	create := func(key string) answer {
		a, err := c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", transferTo(contact, key), key)
		if err != nil {
			t.Error(err)
		}
		return a
	}
	const rounds = 3
	next := 0
	for _, cut := range []struct {
		name    string
		at      int32
		refused bool // the database is out of reach afterwards
	}{
		{"before the commit", beforeCommit, false},
		{"after the commit", afterCommit, false},
		{"before the commit, for longer", beforeCommit, true},
		{"after the commit, for longer", afterCommit, true},
	} {
		unknown, replayed := 0, 0
		for range rounds {
			var warm sync.WaitGroup // the service has several connections
			for range 6 {
				next++
				key := fmt.Sprint("warm", next)
				warm.Go(func() { create(key) })
			}
			warm.Wait()
			next++
			key := fmt.Sprint("k", next)
			before := between.cuts.Load()
			between.refuse.Store(cut.refused)
			between.cut.Store(cut.at)
			first := create(key)
			if first.status != http.StatusCreated {
				require.True(t, cut.refused, "%s: %d %s", cut.name, first.status, first.body)
				require.NoError(t, isUnavailable(first))
				unknown++
			}
			between.refuse.Store(false)
			require.Eventually(t, func() bool { // it may have been another commit than the one of this request
				create(fmt.Sprint(key, "-again-", between.cuts.Load()))
				return between.cuts.Load() > before
			}, patience, time.Millisecond)
			again := create(key)
			require.Equal(t, http.StatusCreated, again.status, "%s: %s", cut.name, again.body)
			if first.status == http.StatusCreated {
				require.Equal(t, string(first.body), string(again.body), cut.name)
				require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
			} else if again.header.Get("Idempotency-Replayed") == "true" {
				replayed++
			}
			var found payments.TransferPage
			c.read(t, http.MethodGet, "/transfers/v1?reference="+key, "", &found)
			require.Len(t, found.Data, 1, cut.name)
		}
		require.Equal(t, cut.refused, unknown > 0, cut.name)
		require.Equal(t, cut.refused && cut.at == afterCommit, replayed > 0, "%s: the commit was made before", cut.name)
	}
}
