package refserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/postgres"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Two servers with one store act as one service. A key that is sent to both at once has one effect, and a token revoked
// at one is invalid at the other.
func TestTwoServersWithOneStore(t *testing.T) {
	t.Parallel()
	both := serveMany(t, refserver.Config{Database: newDatabase(t), KYCDelay: time.Nanosecond}, 2)
	contact := both[0].approvedContact(t)
	const keys = 40
	ids := make([][2]string, keys)
	var all sync.WaitGroup
	for key := range keys {
		for i, c := range both {
			all.Go(func() {
				body := transferTo(contact, fmt.Sprint("r", key))
				a, err := c.do(t.Context(), http.MethodPost, "/transfers/auto/v1", body, fmt.Sprint("k", key))
				var transfer payments.Transfer
				if err != nil || a.status != http.StatusCreated || json.Unmarshal(a.body, &transfer) != nil {
					t.Errorf("%v %d %s", err, a.status, a.body)
				}
				ids[key][i] = transfer.ID
			})
		}
	}
	all.Wait()
	for key, pair := range ids {
		require.Equal(t, pair[0], pair[1], key)
	}
	for _, c := range both {
		var list payments.TransferPage
		c.read(t, http.MethodGet, "/transfers/v1?limit=100", "", &list)
		require.Len(t, list.Data, keys)
	}
	a, err := both[1].do(t.Context(), http.MethodDelete, "/identity/auth/tokens/current/v1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, a.status)
	a, err = both[0].do(t.Context(), http.MethodGet, "/transfers/v1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, a.status)
}

// A request held at one server is answered when something happens at the other.
func TestHeldReadLearnsFromTheOtherServer(t *testing.T) {
	t.Parallel()
	both := serveMany(t, refserver.Config{
		Database: newDatabase(t), Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual},
		TokenLifetime: 1000 * time.Hour,
	}, 2)
	one, two := both[0], both[1]
	var account payments.Account
	one.read(t, http.MethodPost, "/accounts/v1", person, &account)
	path := "/accounts/" + account.ID + "/kyc/v1"
	known := func() http.Header {
		a, err := two.do(t.Context(), http.MethodGet, path, "", "")
		require.NoError(t, err)
		return http.Header{"If-None-Match": {a.header.Get("ETag")}}
	}

	var page payments.EventPage
	two.read(t, http.MethodGet, "/events/v1?after=latest", "", &page)
	wrote, answers := make(chan struct{}, 2), make(chan answer, 2)
	hold := func(path string, header http.Header) {
		ctx := httptrace.WithClientTrace(t.Context(),
			&httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { wrote <- struct{}{} }})
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, two.url+path, http.NoBody)
		if err != nil {
			panic(err)
		}
		request.Header = header
		header.Set("Authorization", "Bearer "+two.token)
		header.Set("Prefer", "wait=60")
		response, err := httpClient.Do(request)
		if err != nil {
			panic(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || strings.Contains(string(text), `"data":[]`) {
			response.StatusCode = 0
		}
		_ = response.Body.Close()
		answers <- answer{response.StatusCode, response.Header, text}
	}
	go hold(path, known())
	go hold("/events/v1?after="+page.Cursor, http.Header{})
	<-wrote
	<-wrote
	one.read(t, http.MethodPost, "/sandbox/clock/advance/v1", `{"duration":"1h"}`, new(payments.SandboxClock))
	require.Equal(t, http.StatusOK, (<-answers).status)
	require.Equal(t, http.StatusOK, (<-answers).status)

	go hold(path, known())
	<-wrote
	var world payments.SandboxWorld
	one.read(t, http.MethodPost, "/sandbox/reset/v1", "", &world)
	gone := <-answers
	require.Equal(t, http.StatusNotFound, gone.status)
	require.Equal(t, world.Instance, gone.header.Get("Payctl-World"))
}

// Each server shows at once what another one has logged. The log keeps the latest entries of an instance, newest first.
func TestServersShareRequestLogs(t *testing.T) {
	t.Parallel()
	database := newDatabase(t)
	var servers []*postgres.Store
	for range 2 {
		s, err := postgres.Open(t.Context(), *database)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		servers = append(servers, s)
	}
	entry := payments.SandboxRequest{Time: paytest.Start, Method: "GET", Path: "/a\x00'", Status: 200, RequestID: "req_1"}
	logged := func(server int, world, instance string) []payments.SandboxRequest {
		entries, err := servers[server].Requests(t.Context(), world, instance)
		require.NoError(t, err)
		return entries
	}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for range store.KeptRequests/8 + 1 {
				if err := servers[worker%2].LogRequest("client-1\x00", "wld_1", entry); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	found := logged(0, "client-1\x00", "wld_1")
	require.Len(t, found, store.KeptRequests)
	require.Equal(t, found, logged(1, "client-1\x00", "wld_1"))
	for i := range found[1:] {
		require.Greater(t, found[i].Number, found[i+1].Number)
	}
	found[0].Number = 0
	require.Equal(t, entry, found[0])
	require.Empty(t, logged(0, "client-1\x00", "wld_2"))
	require.NoError(t, servers[1].ClearRequests(t.Context(), "client-1\x00"))
	require.Empty(t, logged(0, "client-1\x00", "wld_1"))
}
