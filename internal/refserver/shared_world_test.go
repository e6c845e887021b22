package refserver_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
)

// twoServers runs two servers with one database, on which clocks stand still, and returns a caller of each.
func twoServers(t *testing.T) (one, two *caller) {
	t.Helper()
	config := inDatabase(t)
	config.Clock, config.TokenLifetime = sandbox.ClockSetting{Mode: payments.ClockModeManual}, 1000*time.Hour
	both := serveMany(t, config, 2)
	require.Equal(t, both[0].world(t), both[1].world(t))
	return both[0], both[1]
}

const person = `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`

func (c *caller) clock(t *testing.T) (clock payments.SandboxClock) {
	t.Helper()
	c.read(t, http.MethodGet, "/sandbox/clock/v1", "", &clock)
	return clock
}

func (c *caller) advance(t *testing.T, duration string) (clock payments.SandboxClock) {
	t.Helper()
	c.read(t, http.MethodPost, "/sandbox/clock/advance/v1", `{"duration":"`+duration+`"}`, &clock)
	return clock
}

// A world has one clock, whichever server moves it, and everything follows it at both: tokens, too.
func TestTwoServersHaveOneClock(t *testing.T) {
	t.Parallel()
	one, two := twoServers(t)
	var account payments.Account
	two.read(t, http.MethodPost, "/accounts/v1", person, &account)
	moved := one.advance(t, "1h")
	require.Equal(t, moved, two.clock(t))
	var kyc payments.KYC
	two.read(t, http.MethodGet, "/accounts/"+account.ID+"/kyc/v1", "", &kyc)
	require.Equal(t, payments.KYCStatusApproved, kyc.Status)
	again := two.advance(t, "1h")
	require.Equal(t, moved.Now.Add(time.Hour), again.Now)
	require.Equal(t, again, one.clock(t))
	one.read(t, http.MethodPut, "/sandbox/clock/v1", `{"mode":"scaled","scale":10}`, &moved)
	require.Equal(t, 10, two.clock(t).Scale)
	one.read(t, http.MethodPut, "/sandbox/clock/v1", `{"mode":"manual"}`, &moved)
	one.advance(t, "1000h")
	a, err := two.do(t.Context(), http.MethodGet, "/accounts/v1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, a.status)
}

// A reset or a restore at one server takes effect at the other: nothing of the instance before is seen or written there.
func TestTwoServersHaveOneLife(t *testing.T) {
	t.Parallel()
	one, two := twoServers(t)
	one.advance(t, "1h")
	var account payments.Account
	two.read(t, http.MethodPost, "/accounts/v1", person, &account)
	var page payments.EventPage
	two.read(t, http.MethodGet, "/events/v1?after=latest", "", &page)

	var world payments.SandboxWorld
	one.read(t, http.MethodPost, "/sandbox/reset/v1", "", &world)
	login(t, two.url, connections)
	var asked payments.SandboxRequestPage
	two.read(t, http.MethodGet, "/sandbox/requests/v1", "", &asked)
	require.Len(t, asked.Data, 1, "a login belongs to the current instance")
	require.Equal(t, world.Instance, two.world(t))
	require.Equal(t, one.clock(t), two.clock(t))
	require.Equal(t, two.clock(t).Now, asked.Data[0].Time)
	a, err := two.do(t.Context(), http.MethodGet, "/events/v1?after="+page.Cursor, "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusGone, a.status)

	two.advance(t, "1m")
	require.Equal(t, world.Instance, one.world(t), "moving the clock does not bring the previous instance back")
	two.read(t, http.MethodPost, "/accounts/v1", person, &account)
	require.Equal(t, one.clock(t).Now, account.CreatedAt)
}

// A request that is held at one server learns what happens at the other.
func TestHeldReadLearnsFromTheOtherServer(t *testing.T) {
	t.Parallel()
	one, two := twoServers(t)
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
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { wrote <- struct{}{} }})
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
	one.advance(t, "1h")
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
