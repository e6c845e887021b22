package server_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Faults before the effect prevent it, and faults after it do not. A retry with the same key shows which it was. The
// service reports every fault, and does not check responses that it corrupted on purpose.
func TestFaultsAndTheirEffects(t *testing.T) {
	t.Parallel()
	cut := func(t *testing.T, _ *answer, err error) { require.True(t, isConnectionReset(err), "%v", err) }
	for rule, test := range map[string]struct {
		effect bool
		sent   int // status
		check  func(*testing.T, *answer, error)
	}{
		"createAccount=reset": {false, 0, cut},
		"createAccount=drop":  {true, 0, cut},
		"createAccount=truncate": {true, 201, func(t *testing.T, a *answer, err error) {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, http.StatusCreated, a.status)
			require.NotEmpty(t, a.body)
		}},
		"createAccount=malformed": {true, 201, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, a.status)
			require.False(t, jsontext.Value(a.body).IsValid())
			require.Equal(t, a.header.Get("Content-Length"), strconv.Itoa(len(a.body)))
		}},
		"createAccount=delay:1ms": {true, 201, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, a.status)
		}},
		"createAccount=status:503,retry-after:7": {false, 503, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			requireProblem(t, a, payments.ProblemUnavailable)
			require.Equal(t, "7", a.header.Get("Retry-After"))
		}},
		"createAccount=expired-token": {false, 401, func(t *testing.T, a *answer, err error) {
			require.NoError(t, err)
			requireProblem(t, a, payments.ProblemUnauthenticated)
			require.Contains(t, a.header.Get("WWW-Authenticate"), "invalid_token")
		}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			summaries := make(chan server.ResponseSummary, 100)
			record := func(r server.ResponseSummary) { summaries <- r }
			a, stop := unchecked(t, refserver.Config{Check: true, OnResponse: record})
			a.fault(rule + ",times:1")
			answer, err := a.try("POST", accountsPath, adaBody, "Idempotency-Key", "k")
			test.check(t, answer, err)
			require.Equal(t, test.effect, a.accounts() == 1)
			again := a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k")
			require.Equal(t, http.StatusCreated, again.status)
			require.Equal(t, test.effect, again.header.Get("Idempotency-Replayed") == "true")
			require.Equal(t, 1, a.accounts(), "one effect, whatever went wrong")
			require.Empty(t, good[payments.SandboxFaults](a.do("GET", faultsPath, "")).Faults, "the fault is used up")

			var met []payments.SandboxRequest
			for _, r := range good[payments.SandboxRequestPage](a.do("GET", requestsPath+"?limit=100", "")).Data {
				if r.Fault != "" {
					met = append(met, r)
				}
			}
			require.Len(t, met, 1)
			require.Equal(t, rule, strings.TrimSuffix(met[0].Fault, ",times:1"))
			require.Equal(t, test.effect, met[0].Status == http.StatusCreated, "the log has the real status")
			faults := 0
			check := func(r server.ResponseSummary) {
				require.Empty(t, r.Violations)
				if len(r.Faults) > 0 {
					faults++
					require.Equal(t, []string{rule}, r.Faults)
					require.Equal(t, test.sent, r.Status)
				}
			}
			for faults == 0 { // a stopping service does not wait for a response that was cut
				check(<-summaries)
			}
			stop()
			close(summaries)
			for r := range summaries {
				check(r)
			}
			require.Equal(t, 1, faults)
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
	a.as("bob") // other clients are not affected
	for range 2 {
		refused := a.do("POST", tokenPath, "", "Authorization", basic(paytest.ClientID, paytest.ClientSecret))
		requireProblem(t, refused, payments.ProblemUnavailable)
	}
	a.login("")
	requireProblem(t, a.do("GET", accountsPath, ""), payments.ProblemUnauthenticated)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
}

// A delay does not count towards AnswerTimeout.
func TestDelayBeyondTheTimeOfAnAnswer(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: refserver.Bounds{AnswerTimeout: 2 * time.Second}})
	a.fault("listAccounts=delay:2100ms")
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
}

// A delayed write takes effect even if its client gives up, and only once if the client retries with the same key. A
// stopping service does not wait for delayed requests.
func TestDelayOfAWrite(t *testing.T) {
	t.Parallel()
	a, stop := unchecked(t, refserver.Config{})
	begin := func() *wire {
		w := a.dial(t).write("POST "+accountsPath+" HTTP/1.1", "Host: a", "Authorization: Bearer "+a.token,
			"Idempotency-Key: k", "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(adaBody))).raw(adaBody)
		for len(good[payments.SandboxFaults](a.do("GET", faultsPath, "")).Faults) > 0 {
			continue // until the request meets the fault
		}
		return w
	}
	a.fault("createAccount=delay:300ms,times:1")
	require.NoError(t, begin().Close())
	first := a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k")
	require.Equal(t, http.StatusCreated, first.status)
	require.Equal(t, first.body, a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k").body)
	require.Equal(t, 1, a.accounts())

	a.fault("createAccount=delay:1m,times:1")
	held := begin()
	stop()
	requireProblem(t, held.read(), payments.ProblemUnavailable)
}

// The request log has every request of its client except those of the sandbox, and nothing secret or personal.
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
	expired, missing, list := page.Data[0], page.Data[1], page.Data[2]
	require.Equal(t, 401, expired.Status)
	require.Equal(t, paytest.Start.Add(2*time.Hour), expired.Time)
	require.NotEmpty(t, missing.RequestID)
	require.Equal(t, payments.SandboxRequest{Number: 4, Time: paytest.Start, Method: "GET", Path: "/accounts/nobody/v1",
		Operation: "getAccount", Status: 404, RequestID: missing.RequestID}, missing)
	require.Equal(t, accountsPath, list.Path, "without its query")

	a.do("GET", accountsPath, "") // between two pages
	rest := good[payments.SandboxRequestPage](a.do("GET", requestsPath+"?limit=3&cursor="+*page.NextCursor, ""))
	require.Len(t, rest.Data, 2)
	require.Equal(t, "createAccount", rest.Data[0].Operation)
	require.Len(t, rest.Data[0].IdempotencyKeyHash, 64)
	require.Equal(t, "createAccessToken", rest.Data[1].Operation)
	for _, secret := range []string{"hush-key", "ada@example.com", a.token, paytest.ClientSecret, "Lovelace"} {
		require.NotContains(t, answer.body, secret)
	}
	requireProblem(t, a.do("GET", requestsPath+"?cursor=x", ""), payments.ProblemValidation)
	later := a.do("GET", requestsPath+"?createdAfter=2026-01-01T10:00:00Z", "")
	require.Len(t, later.member("data"), 2)
	require.Equal(t, http.StatusNoContent, a.do("DELETE", requestsPath, "").status)
	require.Empty(t, a.do("GET", requestsPath, "").member("data"))
}
