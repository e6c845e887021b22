package refserver_test

import (
	"math/rand/v2"
	"testing"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// onEachSharedStore runs a test for each kind of store that several servers can share. The configuration is that of the
// servers.
func onEachSharedStore(t *testing.T, test func(t *testing.T, config refserver.Config)) {
	t.Helper()
	for name, config := range map[string]func(t *testing.T) refserver.Config{
		"folder": func(t *testing.T) refserver.Config { return refserver.Config{Data: t.TempDir()} },
		"database": func(t *testing.T) refserver.Config {
			url, schema := pgtest.New(t)
			return refserver.Config{Database: &refserver.Database{URL: url, Schema: schema, Connections: 4}}
		},
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
