package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// broken is a service whose answers break the contract on purpose, so that nothing holds them to it.
func broken(t *testing.T, config refserver.Config) *api {
	t.Helper()
	config.Clock = sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start}
	service, err := refserver.New(config)
	require.NoError(t, err)
	running := httptest.NewServer(service.Handler)
	t.Cleanup(func() {
		running.Close()
		require.NoError(t, service.Close())
	})
	a := &api{Service: &paytest.Service{Server: service, URL: running.URL}, t: t, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	a.token = a.login("")
	return a
}

// try is do, which may fail on the way.
func (a *api) try(method, path, body string, headers ...string) (*answer, error) {
	r, err := http.NewRequestWithContext(context.Background(), method, a.URL+path, strings.NewReader(body))
	require.NoError(a.t, err)
	r.Header.Set("Authorization", "Bearer "+a.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := a.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return &answer{a.t, response.StatusCode, response.Header, string(content)}, err
}

const (
	faultsPath   = "/sandbox/faults/v1"
	requestsPath = "/sandbox/requests/v1"
)

// fault puts the faults of rules in place.
func (a *api) fault(rules ...string) {
	a.t.Helper()
	var wanted payments.SandboxFaults
	for _, rule := range rules {
		fault, err := payments.ParseFaultRule(rule)
		require.NoError(a.t, err)
		wanted.Faults = append(wanted.Faults, fault)
	}
	body, err := json.Marshal(wanted)
	require.NoError(a.t, err)
	require.Equal(a.t, wanted, good[payments.SandboxFaults](a.do("PUT", faultsPath, string(body))))
}

func (a *api) accounts() int {
	a.t.Helper()
	return len(good[payments.AccountPage](a.do("GET", accountsPath, "")).Data)
}

// Faults before the effect leave nothing behind, those after it leave the effect; the same key finds which it was.
func TestFaultsAndTheirEffects(t *testing.T) {
	t.Parallel()
	for rule, test := range map[string]struct {
		effect bool
		check  func(*testing.T, *answer, error)
	}{
		"createAccount=reset,times:1": {false, func(t *testing.T, _ *answer, err error) { require.True(t, isConnectionReset(err), "%v", err) }},
		"createAccount=drop,times:1":  {true, func(t *testing.T, _ *answer, err error) { require.True(t, isConnectionReset(err), "%v", err) }},
		"createAccount=truncate,times:1": {true, func(t *testing.T, a *answer, err error) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, http.StatusCreated, a.status)
			require.NotEmpty(t, a.body)
		}},
		"createAccount=malformed,times:1": {true, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, a.status)
			require.False(t, jsontext.Value(a.body).IsValid())
			require.Equal(t, a.header.Get("Content-Length"), strconv.Itoa(len(a.body)))
		}},
		"createAccount=status:503,retry-after:7,times:1": {false, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			requireProblem(t, a, payments.KindUnavailable)
			require.Equal(t, "7", a.header.Get("Retry-After"))
		}},
		"createAccount=expired-token,times:1": {false, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			requireProblem(t, a, payments.KindUnauthenticated)
			require.Contains(t, a.header.Get("WWW-Authenticate"), "invalid_token")
		}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			a := broken(t, refserver.Config{})
			a.fault(rule)
			answer, err := a.try("POST", accountsPath, adaBody, "Idempotency-Key", "k")
			test.check(t, answer, err)
			expected := 0
			if test.effect {
				expected = 1
			}
			require.Equal(t, expected, a.accounts())
			again := a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k")
			require.Equal(t, http.StatusCreated, again.status)
			require.Equal(t, test.effect, again.header.Get("Idempotency-Replayed") == "true")
			require.Equal(t, 1, a.accounts(), "one effect, whatever went wrong")
			require.Empty(t, good[payments.SandboxFaults](a.do("GET", faultsPath, "")).Faults, "it has happened as often as it should")

			log := good[payments.SandboxRequestPage](a.do("GET", requestsPath+"?limit=100", "")).Data
			var met []payments.SandboxRequest
			for _, r := range log {
				if r.Fault != "" {
					met = append(met, r)
				}
			}
			require.Len(t, met, 1)
			fault, err := payments.ParseFaultRule(rule)
			require.NoError(t, err)
			require.Equal(t, fault.Rule(), met[0].Fault)
			require.Equal(t, test.effect, met[0].Status == http.StatusCreated, "the log knows what was done")
		})
	}
}

// Every status that a rule can have is a problem of the contract.
func TestInjectedStatuses(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for status := 400; status <= 599; status++ {
		a.fault("listAccounts=status:" + strconv.Itoa(status))
		require.Equal(t, status, a.do("GET", accountsPath, "").status)
	}
}

func TestFaultsAtTheTokenOperation(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.fault("createAccessToken=status:503,times:2", "*=expired-token,times:1")
	other := a.do("POST", tokenPath, "", "Authorization", basic("bob", "secret"))
	require.Equal(t, http.StatusOK, other.status, "other clients notice nothing")
	for range 2 {
		requireProblem(t, a.do("POST", tokenPath, "", "Authorization", basic(paytest.ClientID, paytest.ClientSecret)), payments.KindUnavailable)
	}
	require.Equal(t, http.StatusOK, a.do("POST", tokenPath, "", "Authorization", basic(paytest.ClientID, paytest.ClientSecret)).status)
	requireProblem(t, a.do("GET", accountsPath, ""), payments.KindUnauthenticated)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
}

func TestFaultsAreChecked(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for body, field := range map[string]string{
		`{"faults":[{"operation":"*","action":"drop"},{"operation":"nowhere","action":"drop"}]}`: "faults[1].operation",
		`{"faults":[{"operation":"resetSandbox","action":"drop"}]}`:                              "faults[0].operation",
		`{"faults":[{"operation":"getHealth","action":"drop"}]}`:                                 "faults[0].operation",
		`{"faults":[{"operation":"createAccessToken","action":"expired_token"}]}`:                "faults[0].operation",
		`{"faults":[{"operation":"*","action":"status"}]}`:                                       "faults[0].status",
		`{"faults":[{"operation":"*","action":"delay","delay":"1h"}]}`:                           "faults[0].delay",
		`{"faults":[{"operation":"*","action":"drop","times":0}]}`:                               "faults[0].times",
	} {
		problem := requireProblem(t, a.do("PUT", faultsPath, body), payments.KindValidation)
		require.Equal(t, []string{field}, problem.Errors.Names(), body)
	}
}

// A delay does not take from the time that the client has to accept the answer.
func TestDelayBeyondTheTimeOfAnAnswer(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{AnswerTimeout: 100 * time.Millisecond}})
	a.fault("listAccounts=delay:150ms", "*=delay:150ms")
	answer := a.do("GET", accountsPath, "")
	require.Equal(t, http.StatusOK, answer.status)
}

// A delayed write has its effect also if its client gives up meanwhile, and a client that repeats it with its key
// gets its answer.
func TestDelayOfAWriteOutlivesItsClient(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{KeyWait: patience}})
	_, transfer := revised(t, a)
	for path, body := range map[string]string{accountsPath: adaBody, transfer + "/cancel/v1": ""} {
		a.fault("*=delay:300ms,times:1")
		w := a.post(t, path, body, "Idempotency-Key: k")
		require.NoError(t, w.Close())
		again := a.do("POST", path, body, "Idempotency-Key", "k")
		require.Less(t, again.status, 300)
		require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
	}
	require.Equal(t, 2, a.accounts())
}

// post sends a request on a connection of its own, and waits until it is held back by the one fault there is.
func (a *api) post(t *testing.T, path, body string, headers ...string) *wire {
	t.Helper()
	head := []string{"POST " + path + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token, "Content-Type: application/json", "Content-Length: " + strconv.Itoa(len(body))}
	w := a.dial(t).write(append(head, headers...)...).raw(body)
	for len(good[payments.SandboxFaults](a.do("GET", faultsPath, "")).Faults) > 0 {
		continue
	}
	return w
}

// A service that stops does not wait for what is held back.
func TestDelayEndsWithTheService(t *testing.T) {
	t.Parallel()
	s, err := refserver.New(refserver.Config{Faults: []payments.SandboxFault{{Operation: "createAccount", Action: payments.SandboxFaultActionDelay, Delay: "1m", Times: 1}}})
	require.NoError(t, err)
	token := login(t, s.Handler, paytest.ClientID)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, listener, nil) }()
	a := &api{Service: &paytest.Service{Server: s, URL: "http://" + listener.Addr().String()}, t: t, http: http.DefaultClient, token: token}
	w := a.post(t, accountsPath, adaBody)
	stop()
	requireProblem(t, w.read(), payments.KindUnavailable)
	require.NoError(t, <-done)
	require.NoError(t, s.Close())
}

// Seeded faults happen to the same requests in each run, about as often as they should.
func TestSeededFaults(t *testing.T) {
	t.Parallel()
	pattern := func(seed uint64) string {
		a := run(t, refserver.Config{Seed: &seed, Faults: []payments.SandboxFault{
			{Operation: payments.AnyOperation, Action: payments.SandboxFaultActionStatus, Status: 503, Percent: 30}}})
		var b strings.Builder
		for range 200 {
			b.WriteString(strconv.Itoa(a.do("GET", accountsPath, "").status) + " ")
		}
		return b.String()
	}
	a := pattern(3)
	require.Equal(t, a, pattern(3))
	require.NotEqual(t, a, pattern(4))
	hits := strings.Count(a, "503")
	require.Greater(t, hits, 30)
	require.Less(t, hits, 90)
}

func TestIgnoredIdempotencyKeys(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{IgnoreIdempotencyKeys: true})
	for range 2 {
		answer := a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k")
		require.Equal(t, http.StatusCreated, answer.status)
		require.Empty(t, answer.header.Get("Idempotency-Replayed"))
	}
	require.Equal(t, 2, a.accounts())
}

// The request log has every request of its client but those of the sandbox, and nothing secret or personal.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.do("POST", accountsPath, adaBody, "Idempotency-Key", "hush-key")
	a.do("GET", accountsPath+"?email=ada@example.com", "")
	a.do("GET", contract.Expand(contract.GetAccount.Path, "nobody"), "")
	a.as("bob").do("GET", accountsPath, "")
	a.do("POST", advancePath, `{"duration":"2h"}`)
	a.do("GET", accountsPath, "") // the token has expired

	answer := a.do("GET", requestsPath+"?limit=3", "")
	page := good[payments.SandboxRequestPage](answer)
	require.Len(t, page.Data, 3)
	require.NotNil(t, page.NextCursor)
	expired, missing, list := page.Data[0], page.Data[1], page.Data[2]
	require.Equal(t, 401, expired.Status)
	require.Equal(t, paytest.Start.Add(2*time.Hour), expired.Time)
	require.Equal(t, payments.SandboxRequest{Number: 4, Time: paytest.Start, Method: "GET", Path: "/accounts/nobody/v1", Operation: "getAccount",
		Status: 404, RequestID: missing.RequestID}, missing)
	require.NotEmpty(t, missing.RequestID)
	require.Equal(t, accountsPath, list.Path, "without its query")

	a.do("GET", accountsPath, "") // between two pages
	rest := good[payments.SandboxRequestPage](a.do("GET", requestsPath+"?limit=3&cursor="+*page.NextCursor, ""))
	require.Len(t, rest.Data, 2)
	require.Nil(t, rest.NextCursor)
	require.Equal(t, "createAccount", rest.Data[0].Operation)
	require.Len(t, rest.Data[0].IdempotencyKeyHash, 64)
	require.Equal(t, "createAccessToken", rest.Data[1].Operation)
	for _, secret := range []string{"hush-key", "ada@example.com", a.token, paytest.ClientSecret, "Lovelace"} {
		require.NotContains(t, answer.body, secret)
	}
	requireProblem(t, a.do("GET", requestsPath+"?cursor=x", ""), payments.KindValidation)
	require.Len(t, good[payments.SandboxRequestPage](a.do("GET", requestsPath+"?createdAfter=2026-01-01T10:00:00Z", "")).Data, 2)
	require.Equal(t, http.StatusNoContent, a.do("DELETE", requestsPath, "").status)
	require.Empty(t, good[payments.SandboxRequestPage](a.do("GET", requestsPath, "")).Data)
}
