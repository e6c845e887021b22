package server_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/test/paytest"
)

// snapshot returns a snapshot of the world.
func (a *api) snapshot() string {
	a.t.Helper()
	answer := a.do("GET", snapshotPath, "")
	good[payments.SandboxSnapshot](answer)
	return answer.body
}

// restore replaces the world with a snapshot.
func (a *api) restore(snapshot string) *answer {
	a.t.Helper()
	restored := a.do("PUT", snapshotPath, snapshot)
	require.Equal(a.t, http.StatusOK, restored.status, restored)
	return restored
}

// reset empties the world.
func (a *api) reset() *answer {
	a.t.Helper()
	reset := a.do("POST", contract.ResetSandbox.Path, "")
	require.Equal(a.t, http.StatusOK, reset.status, reset)
	return reset
}

func TestNoSandbox(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{NoSandbox: true})
	for _, op := range contract.Operations {
		if op.IsSandbox() {
			requireProblem(t, a.do(op.Method, contract.Expand(op.Path, "x"), ""), payments.ProblemNotFound)
		}
	}
	require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status)
}

// Every snapshot can be restored. A world that is too large for that gets 409 instead of a snapshot.
func TestSnapshotThatCouldNotBeRestored(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: server.Bounds{SnapshotBytes: 4 << 10}})
	a.restore(a.snapshot())
	for range 8 {
		require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status)
	}
	requireProblem(t, a.do("GET", snapshotPath, ""), payments.ProblemConflict)
}

// A token that is older than a restore is valid after it for as long as a new one, whatever the clock then shows.
func TestTokensOutliveAReset(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Data: t.TempDir()})
	a.Advance(t, 48*time.Hour)
	later := a.snapshot()
	a.reset()
	a.token = a.login("")
	a.restore(later)
	described := good[payments.AccessTokenDescription](a.do("GET", tokenPath, ""))
	require.Equal(t, paytest.Start.Add(48*time.Hour), described.IssuedAt)
	require.Equal(t, paytest.Start.Add(49*time.Hour), described.ExpiresAt)
	a.Advance(t, time.Hour)
	requireProblem(t, a.do("GET", accountsPath, ""), payments.ProblemUnauthenticated)
}

// A response names the instance of the world that it is about, even if the request began in the previous instance. Such
// a request is in no log.
func TestResponsesNameTheirInstance(t *testing.T) {
	t.Parallel()
	const delay = `{"operation":"createAccount","action":"delay","delay":"1s"}`
	for name, test := range map[string]struct {
		faults  string // of createAccount; empty means a held read
		restore bool   // instead of a reset
		status  int
	}{
		"held over a reset":                {"", false, http.StatusNotFound},
		"held over a restore":              {"", true, http.StatusOK},
		"delayed over a reset":             {delay, false, http.StatusCreated},
		"delayed and damaged over a reset": {delay + `,{"operation":"*","action":"malformed"}`, false, http.StatusCreated},
		"delayed and refused over a restore": {delay + `,{"operation":"*","action":"status","status":503}`, true,
			http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := within(t, refserver.Config{Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual}})
				check := contract.Expand(contract.GetKYCStatus.Path, good[payments.Account](a.do("POST", accountsPath, adaBody)).ID)
				tag, snapshot := a.do("GET", check, "").header.Get("ETag"), a.snapshot()
				require.Equal(t, http.StatusOK, a.do("PUT", faultsPath, `{"faults":[`+test.faults+`]}`).status)
				began := make(chan *answer, 1)
				go func() {
					if test.faults == "" {
						began <- a.do("GET", check, "", "If-None-Match", tag, "Prefer", "wait=60")
					} else {
						began <- a.do("POST", accountsPath, adaBody)
					}
				}()
				synctest.Wait()
				var world payments.SandboxWorld
				if test.restore {
					world = good[payments.SandboxWorld](a.restore(snapshot))
				} else {
					world = good[payments.SandboxWorld](a.reset())
				}
				answered := <-began
				require.Equal(t, test.status, answered.status)
				require.Equal(t, []string{world.Instance}, answered.header.Values("Payctl-World"))
				require.JSONEq(t, `{"data":[],"nextCursor":null}`, a.do("GET", requestsPath, "").body)
			})
		})
	}
}

// So does the answer to a request that arrives during a reset, before the reset is on disk.
func TestResponsesAmidResetsNameTheirInstance(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Data: t.TempDir()})
	stop := make(chan struct{})
	var reading sync.WaitGroup
	for range 3 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				answer := a.do("GET", accountsPath, "")
				for _, account := range decode[payments.AccountPage](answer).Data {
					assert.Equal(t, account.ExternalID, answer.header.Get("Payctl-World"))
				}
				answer = a.do("GET", snapshotPath, "")
				assert.Equal(t, decode[payments.SandboxSnapshot](answer).Instance, answer.header.Get("Payctl-World"))
			}
		})
	}
	for range 20 {
		world := good[payments.SandboxWorld](a.reset())
		created := a.do("POST", accountsPath, strings.Replace(adaBody, "{", `{"externalId":"`+world.Instance+`",`, 1))
		require.Equal(t, world.Instance, created.header.Get("Payctl-World"))
	}
	close(stop)
	reading.Wait()
}

// A service that ignores idempotency keys imitates one without worlds, even after a reset.
func TestNoWorldIsNamedWithoutIdempotencyKeys(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{IgnoreIdempotencyKeys: true})
	for _, answer := range []*answer{a.do("GET", accountsPath, ""), a.restore(a.snapshot()), a.reset()} {
		require.Empty(t, answer.header.Values("Payctl-World"))
	}
	for range 2 {
		answer := a.do("POST", accountsPath, adaBody, "Idempotency-Key", "k")
		require.Empty(t, answer.header.Get("Idempotency-Replayed"))
	}
	require.Equal(t, 2, a.accounts())
}

// The token of a page can read its client's world and do what the page offers. It is refused elsewhere and leaves
// nothing in the log. Only the operator's token also lists other clients.
func TestTokensOfThePage(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Local: true})
	bob := a.as("bob")
	pagesOf := func(token string) (found []string, own string) {
		list := good[payments.SandboxPages](a.do("GET", "/sandbox/pages/v1", "", "Authorization", "Bearer "+token)).Pages
		for _, page := range list {
			found = append(found, page.ClientID)
		}
		_, own, _ = strings.Cut(list[0].URL, "#")
		return found, own
	}
	clients, token := pagesOf(bob.token)
	require.Equal(t, []string{"bob"}, clients)
	clients, again := pagesOf(token)
	require.Equal(t, []string{"bob"}, clients)
	require.Equal(t, token, again)
	_, operators, _ := strings.Cut(a.HTTP.PageURL(a.URL, paytest.ClientID), "#")
	clients, _ = pagesOf(operators)
	require.Equal(t, []string{paytest.ClientID, "bob"}, clients)

	page := *bob
	page.token = token
	bob.do("POST", accountsPath, adaBody)
	log := a.as("bob").do("GET", requestsPath, "").body
	require.Equal(t, 1, page.accounts())
	good[payments.SandboxClock](page.do("POST", advancePath, `{"duration":"1h"}`))
	for _, answer := range []*answer{
		page.do("POST", accountsPath, adaBody), page.do("GET", contactsPath, ""), page.do("GET", snapshotPath, ""),
		page.do("GET", accountsPath, "", "Sec-Fetch-Site", "cross-site"), page.do("GET", accountsPath, "", "Origin",
			"http://127.0.0.1:1"),
	} {
		requireProblem(t, answer, payments.ProblemUnauthenticated)
	}
	require.Equal(t, log, page.do("GET", requestsPath, "").body)
	for _, forged := range []string{
		strings.Replace(token, "page.", "pages.", 1), token[:len(token)-1], token + "A", strings.Replace(token, ".", "..", 1),
		strings.Replace(operators, "pages.", "page.", 1), "page..", strings.Replace(token, "page.", "page.A", 1),
	} {
		requireProblem(t, a.do("GET", accountsPath, "", "Authorization", "Bearer "+forged), payments.ProblemUnauthenticated)
	}
}

// Browsers get the page, and programs a 404. Without the sandbox, or beyond this machine, everyone gets a 404.
func TestWhoGetsThePage(t *testing.T) {
	t.Parallel()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for name, config := range map[string]refserver.Config{
		"": {Local: true}, "without the sandbox": {Local: true, NoSandbox: true}, "beyond this machine": {},
	} {
		a := within(t, config)
		a.token = ""
		for path, accept := range map[string]string{"/": browser, "/page.js": "*/*", "/page.css": "text/css,*/*;q=0.1"} {
			answer := a.do("GET", path, "", "Accept", accept)
			if name != "" {
				require.Equal(t, 404, answer.status, name)
				continue
			}
			require.Equal(t, 200, answer.status)
			require.Contains(t, answer.header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; ")
			require.Equal(t, "no-referrer", answer.header.Get("Referrer-Policy"))
			require.Equal(t, "same-origin", answer.header.Get("Cross-Origin-Resource-Policy"))
		}
		for _, accept := range []string{"", "*/*", "application/json", "text/html;q=0.5, */*"} {
			require.Equal(t, 404, a.do("GET", "/", "", "Accept", accept).status, accept)
		}
		require.Equal(t, 404, a.do("POST", "/", "", "Accept", browser).status)
	}
}
