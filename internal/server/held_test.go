package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// adaOf is the body of a new account with that many bytes, nearly all of them in a member that is ignored.
func adaOf(bytes int) string {
	filled := strings.TrimSuffix(adaBody, "}") + `,"ignored":"`
	return filled + strings.Repeat("x", bytes-len(filled)-len(`"}`)) + `"}`
}

// requireRefused checks that a request was refused for a while.
func requireRefused(t *testing.T, kind payments.Kind, w *httptest.ResponseRecorder) {
	t.Helper()
	requireProblem(t, &answer{t, w.Code, w.Header(), w.Body.String()}, kind)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
}

// However many delays there are, a request is delayed by a minute at most.
func TestDelaysOfOneRequestAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var faults []payments.SandboxFault
		for range 100 {
			faults = append(faults, payments.SandboxFault{Operation: "*", Action: payments.SandboxFaultActionDelay, Delay: "30s", Times: 2})
		}
		ask := within(t, refserver.Config{})
		body, err := json.Marshal(payments.SandboxFaults{Faults: faults})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, ask("PUT", faultsPath, string(body)).Code)
		for _, method := range []string{"POST", "GET"} {
			began := time.Now()
			require.Less(t, ask(method, accountsPath, adaBody).Code, 300)
			require.Equal(t, payments.MaxFaultDelay, time.Since(began))
		}
	})
}

// A client's delayed writes hold a bounded number of bytes. What is more is refused at once and has no effect; small requests
// and other clients notice nothing, and those that were held have their effect.
func TestDelayedBodiesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := within(t, refserver.Config{Bounds: refserver.Bounds{ClientHeldBytes: 1 << 20, HeldBytes: 3 << 19}})
		clients := map[string]string{"ada": "", "bob": ""}
		for client := range clients {
			var token payments.AccessToken
			require.NoError(t, json.Unmarshal(ask("POST", tokenPath, "", "Authorization", basic(client, "secret")).Body.Bytes(), &token))
			clients[client] = "Bearer " + token.AccessToken
			body := `{"faults":[{"operation":"createAccount","action":"delay","delay":"1m"}]}`
			require.Equal(t, http.StatusOK, ask("PUT", faultsPath, body, "Authorization", clients[client]).Code)
		}
		const size, held, more = 200 << 10, 4, 20
		answers := make(chan *httptest.ResponseRecorder, held+more)
		post := func(client string, size int) {
			go func() { answers <- ask("POST", accountsPath, adaOf(size), "Authorization", clients[client]) }()
			synctest.Wait()
		}
		for range 2 { // again when the first ones have ended
			for range held + more {
				post("ada", size)
			}
			require.Len(t, answers, more, "the others are held")
			for range more {
				requireRefused(t, payments.KindRateLimited, <-answers)
			}
			require.Equal(t, http.StatusOK, ask("GET", accountsPath, "", "Authorization", clients["ada"]).Code)

			for range held {
				post("bob", size)
			}
			require.Len(t, answers, 2, "both together hold less than two could")
			for range 2 {
				requireRefused(t, payments.KindUnavailable, <-answers)
			}
			<-time.After(payments.MaxFaultDelay)
			for range held + 2 {
				require.Equal(t, http.StatusCreated, (<-answers).Code)
			}
		}
		var page payments.AccountPage
		require.NoError(t, json.Unmarshal(ask("GET", accountsPath, "", "Authorization", clients["ada"]).Body.Bytes(), &page))
		require.Len(t, page.Data, 2*held)
	})
}

// A client that holds all that it may, and all that requests without a session may, leaves memory for another one.
func TestRequestsWithoutASessionLeaveMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := within(t, refserver.Config{Bounds: refserver.Bounds{ClientHeldBytes: 1 << 20, HeldBytes: 3 << 19}})
		clients := map[string]string{}
		for _, client := range []string{"ada", "bob"} {
			var token payments.AccessToken
			require.NoError(t, json.Unmarshal(ask("POST", tokenPath, "", "Authorization", basic(client, "secret")).Body.Bytes(), &token))
			clients[client] = "Bearer " + token.AccessToken
		}
		body := `{"faults":[{"operation":"*","action":"delay","delay":"1m"}]}`
		require.Equal(t, http.StatusOK, ask("PUT", faultsPath, body, "Authorization", clients["ada"]).Code)
		const size, sent = 200 << 10, 20
		answers := make(chan *httptest.ResponseRecorder, 2*sent)
		for range sent {
			go func() { answers <- ask("POST", tokenPath, adaOf(size), "Authorization", basic("ada", "secret")) }()
			go func() { answers <- ask("POST", accountsPath, adaOf(size), "Authorization", clients["ada"]) }()
		}
		synctest.Wait()
		require.NotEmpty(t, answers, "ada holds as much as it may")
		require.Equal(t, http.StatusCreated, ask("POST", accountsPath, adaOf(2*size), "Authorization", clients["bob"]).Code)
		<-time.After(payments.MaxFaultDelay)
		synctest.Wait()
		require.Len(t, answers, 2*sent)
	})
}

// A client has a bounded number of delayed requests, until those end: a read with its client, a write after its delay.
func TestDelayedRequestsAreBounded(t *testing.T) {
	t.Parallel()
	for method, body := range map[string]string{"GET": "", "POST": adaBody} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const most = 40
				service, err := refserver.New(refserver.Config{Bounds: refserver.Bounds{ClientHeldBytes: most*(24<<10) + 20<<10}})
				require.NoError(t, err)
				defer func() { require.NoError(t, service.Close()) }()
				token := login(t, service.Handler, paytest.ClientID)
				ask := func(ctx context.Context, method, path, body string) *httptest.ResponseRecorder {
					r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
					r.Header.Set("Authorization", "Bearer "+token)
					r.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					defer func() { _ = recover() }() // the connection was cut, as the client is gone
					service.Handler.ServeHTTP(w, r)
					return w
				}
				const rules = `{"faults":[{"operation":"listAccounts","action":"delay","delay":"1m"},` +
					`{"operation":"createAccount","action":"delay","delay":"1m"}]}`
				require.Equal(t, http.StatusOK, ask(t.Context(), "PUT", faultsPath, rules).Code)
				for range 2 { // again when the first ones have ended
					clients, gone := context.WithCancel(t.Context())
					answers := make(chan *httptest.ResponseRecorder, 2*most)
					for range 2 * most {
						go func() { answers <- ask(clients, method, accountsPath, body) }()
					}
					synctest.Wait()
					require.Len(t, answers, most)
					for range most {
						requireRefused(t, payments.KindRateLimited, <-answers)
					}
					require.Equal(t, http.StatusOK, ask(t.Context(), "GET", faultsPath, "").Code)
					gone()
					synctest.Wait()
					if method != "GET" {
						require.Empty(t, answers, "a write has its effect after its delay")
						<-time.After(time.Minute)
						synctest.Wait()
					}
					require.Len(t, answers, most)
				}
			})
		})
	}
}

// An unreadWriter is the response to a client that does not read.
type unreadWriter struct {
	*httptest.ResponseRecorder
	ctx context.Context
}

// Write implements http.ResponseWriter.
func (w unreadWriter) Write(p []byte) (int, error) {
	if w.Code == http.StatusOK {
		<-w.ctx.Done()
	}
	return w.ResponseRecorder.Write(p)
}

// Large responses that are not read hold a bounded number of bytes.
func TestUnreadResponsesAreBounded(t *testing.T) {
	t.Parallel()
	for _, path := range []string{accountsPath, contract.GetSandboxSnapshot.Path} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, err := refserver.New(refserver.Config{Bounds: refserver.Bounds{ClientHeldBytes: 1 << 20}})
				require.NoError(t, err)
				defer func() { require.NoError(t, service.Close()) }()
				token := login(t, service.Handler, paytest.ClientID)
				ask := func(ctx context.Context, method, path, body string) *httptest.ResponseRecorder {
					r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
					r.Header.Set("Authorization", "Bearer "+token)
					r.Header.Set("Content-Type", "application/json")
					w := unreadWriter{httptest.NewRecorder(), ctx}
					service.Handler.ServeHTTP(w, r)
					return w.ResponseRecorder
				}
				account := strings.TrimSuffix(adaBody, "}") + `,"metadata":{`
				for i := range 50 {
					account += `"m` + strconv.Itoa(i) + `":"` + strings.Repeat("x", 500) + `",`
				}
				for range 10 {
					require.Equal(t, http.StatusCreated, ask(t.Context(), "POST", accountsPath, strings.TrimSuffix(account, ",")+"}}").Code)
				}
				for range 2 { // again when the first ones have been read
					clients, read := context.WithCancel(t.Context())
					answers := make(chan *httptest.ResponseRecorder, 20)
					for range 20 {
						go func() { answers <- ask(clients, "GET", path, "") }()
					}
					synctest.Wait()
					require.Len(t, answers, 16, "four of about a quarter of a million bytes are held")
					for range 16 {
						requireRefused(t, payments.KindRateLimited, <-answers)
					}
					read()
					for range 4 {
						answer := <-answers
						require.Equal(t, http.StatusOK, answer.Code)
						require.Greater(t, answer.Body.Len(), 250_000)
					}
				}
			})
		})
	}
}

// Bodies that stop before their end hold a bounded number of bytes, whatever they announce.
func TestUnfinishedBodiesAreBounded(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{ClientHeldBytes: 2 << 20}})
	for _, target := range []string{"POST " + accountsPath, "PUT " + contract.RestoreSandboxSnapshot.Path} {
		var wires []*wire
		for range 3 { // of which one is refused
			head := []string{target + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token, "Content-Type: application/json", "Content-Length: 1000000"}
			wires = append(wires, a.dial(t).write(head...).raw(adaOf(999_000)))
		}
		refused := make(chan *answer, len(wires))
		for _, w := range wires {
			go func() {
				if response, err := http.ReadResponse(w.reader, nil); err == nil {
					refused <- &answer{t, response.StatusCode, response.Header, ""}
				}
			}()
		}
		got := <-refused
		require.Equal(t, http.StatusTooManyRequests, got.status)
		require.Equal(t, "1", got.header.Get("Retry-After"))
		require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status, "small ones go on")
		for _, w := range wires {
			require.NoError(t, w.Close())
		}
	}
}

// A read that waits ends when its client hangs up, and so makes room for another connection.
func TestWaitingReadsEndWithTheirClient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path    string
		headers []string
		body    string
	}{
		"a delayed read":             {accountsPath, nil, ""},
		"a delayed read with a body": {accountsPath, []string{"Content-Length: 2"}, "{}"},
		"a held read":                {eventsPath + "?after=latest", []string{"Prefer: wait=60"}, ""},
		"a held read with a body":    {eventsPath + "?after=latest", []string{"Prefer: wait=60", "Content-Length: 2"}, "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const most = 3
			a := run(t, refserver.Config{Bounds: refserver.Bounds{Connections: most}})
			a.http.Transport.(*http.Transport).DisableKeepAlives = true
			a.fault("listAccounts=delay:1m")
			for range 2 * most {
				w := a.dial(t).write(append([]string{"GET " + test.path + " HTTP/1.1", "Host: a", "Authorization: Bearer " + a.token}, test.headers...)...).raw(test.body)
				require.NoError(t, w.CloseWrite())
				w.closed() // it hangs up too, long before it would answer
			}
			require.Equal(t, http.StatusOK, a.do("GET", "/healthz", "").status)
		})
	}
}

// CloseWrite ends the client's side.
func (w *wire) CloseWrite() error {
	return w.Conn.(interface{ CloseWrite() error }).CloseWrite()
}
