package refserver_test

import (
	"math/rand/v2"
	"testing"

	"github.com/payctl/payctl/internal/refserver"
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
