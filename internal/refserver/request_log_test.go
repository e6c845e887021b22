package refserver_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// Each server shows at once what another one has logged. The log has the latest entries of an instance, and those of
// other worlds and instances are apart.
func TestServersShareRequestLogs(t *testing.T) {
	t.Parallel()
	url, schema := pgtest.New(t)
	var servers []*postgres.Store
	for range 2 {
		s, err := postgres.Open(t.Context(), postgres.Config{URL: url, Schema: schema})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		servers = append(servers, s)
	}
	entry := payments.SandboxRequest{
		Time: time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC), Method: "GET", Path: "/a\x00'", Status: 200, RequestID: "req_1",
	}
	log := func(server int, world, instance string) {
		if err := servers[server].LogRequest(t.Context(), world, instance, entry); err != nil {
			t.Error(err)
		}
	}
	logged := func(server int, world, instance string) []payments.SandboxRequest {
		entries, err := servers[server].Requests(t.Context(), world, instance)
		require.NoError(t, err)
		return entries
	}
	log(0, "client-1", "wld_1")
	found := logged(1, "client-1", "wld_1")
	require.Len(t, found, 1)
	require.Positive(t, found[0].Number)
	found[0].Number = 0
	require.Equal(t, entry, found[0])

	log(0, "client-2\x00", "wld_2")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for range store.KeptRequests / 4 {
				log(worker%2, "client-1", "wld_1")
			}
		})
	}
	all.Wait()
	found = logged(0, "client-1", "wld_1")
	require.Len(t, found, store.KeptRequests)
	require.Equal(t, found, logged(1, "client-1", "wld_1"))
	for i := range found[1:] {
		require.Greater(t, found[i].Number, found[i+1].Number)
	}
	require.Empty(t, logged(0, "client-1", "wld_2"))
	require.NoError(t, servers[1].ClearRequests(t.Context(), "client-1"))
	require.Empty(t, logged(0, "client-1", "wld_1"))
	require.Len(t, logged(1, "client-2\x00", "wld_2"), 1)
}
