package server_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/test/paytest"
)

// snapshot takes down the world.
func (a *api) snapshot() string {
	a.t.Helper()
	answer := a.do("GET", contract.GetSandboxSnapshot.Path, "")
	require.Equal(a.t, http.StatusOK, answer.status, answer)
	return answer.body
}

// restore puts back what a snapshot holds.
func (a *api) restore(snapshot string) *answer {
	a.t.Helper()
	restored := a.do("PUT", contract.RestoreSandboxSnapshot.Path, snapshot)
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

// No state of an instance of the world has the entity tag of a state of another instance.
func TestEntityTagsOfAnotherInstance(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"memory": "", "durable": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{Data: data, ManualDeposits: true})
			account := a.do("POST", accountsPath, adaBody).member("id").(string)
			check, byHand := contract.Expand(contract.GetKYCStatus.Path, account), contract.Expand(contract.SetSandboxKYC.Path, account)
			pending := a.snapshot()
			good[payments.KYC](a.do("PUT", byHand, `{"status":"approved"}`))
			approved := a.snapshot()
			a.restore(pending)
			good[payments.KYC](a.do("PUT", byHand, `{"status":"under_review"}`))
			review := a.do("GET", check, "").header.Get("ETag")

			held := make(chan *answer, 1)
			go func() { held <- a.do("GET", check, "", "If-None-Match", review, "Prefer", "wait=5") }()
			a.restore(approved)
			require.Equal(t, payments.KYCStatusApproved, good[payments.KYC](<-held).Status, "who waits learns of the other state")

			body := `{"destinationSavedContactId":"` + a.saved("base", "USDC") + `","route":"ach:USD->base:USDC"}`
			transfer := a.do("POST", autoPath, body).member("id").(string)
			path, cancel := contract.Expand(contract.GetTransfer.Path, transfer), contract.Expand(contract.CancelTransfer.Path, transfer)
			waiting := a.snapshot()
			good[payments.Transfer](a.do("POST", contract.Expand(contract.CreateSandboxDeposit.Path, transfer), `{"amount":"50"}`))
			funded := a.do("GET", path, "").header.Get("ETag")
			a.restore(waiting)
			good[payments.Transfer](a.do("PUT", contract.Expand(contract.SetSandboxTransferState.Path, transfer), `{"state":"in_review"}`))
			require.Equal(t, payments.TransferStateInReview, good[payments.Transfer](a.do("GET", path, "", "If-None-Match", funded)).State)
			requireProblem(t, a.do("POST", cancel, "", "If-Match", funded), payments.KindPreconditionFailed)
		})
	}
}

// Every snapshot can be restored: a world that is too large for that gets 409 instead of a snapshot.
func TestSnapshotThatCouldNotBeRestored(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Bounds: server.Bounds{SnapshotBytes: 4 << 10}})
	a.restore(a.snapshot())
	for range 8 {
		require.Equal(t, http.StatusCreated, a.do("POST", accountsPath, adaBody).status)
	}
	requireProblem(t, a.do("GET", contract.GetSandboxSnapshot.Path, ""), payments.KindConflict)
}

// A token that is older than a reset works after it for as long as a new one, whatever time the clock begins at.
func TestTokensOutliveAReset(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"memory": "", "durable": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{Data: data})
			a.Advance(t, 48*time.Hour)
			later := a.snapshot()
			a.reset()
			a.token = a.login("")
			a.restore(later)
			described := good[payments.AccessTokenDescription](a.do("GET", contract.DescribeAccessToken.Path, ""))
			require.Equal(t, paytest.Start.Add(48*time.Hour), described.IssuedAt)
			require.Equal(t, paytest.Start.Add(49*time.Hour), described.ExpiresAt)
			a.Advance(t, time.Hour)
			requireProblem(t, a.do("GET", accountsPath, ""), payments.KindUnauthenticated)
		})
	}
}

// A response names the instance of the world that it is about, also if the request began in the instance before, whose requests
// are in no log.
func TestResponsesNameTheirInstance(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults  string // of creating an account; empty: a read is held
		restore bool   // not a reset
		status  int
	}{
		"held over a reset":                  {"", false, http.StatusNotFound},
		"held over a restore":                {"", true, http.StatusOK},
		"delayed over a reset":               {`{"operation":"createAccount","action":"delay","delay":"1s"}`, false, http.StatusCreated},
		"delayed and damaged over a reset":   {`{"operation":"createAccount","action":"delay","delay":"1s"},{"operation":"*","action":"malformed"}`, false, http.StatusCreated},
		"delayed and refused over a restore": {`{"operation":"createAccount","action":"delay","delay":"1s"},{"operation":"*","action":"status","status":503}`, true, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ask := within(t, refserver.Config{Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual}})
				var account payments.Account
				require.NoError(t, json.Unmarshal(ask("POST", accountsPath, adaBody).Body.Bytes(), &account))
				check := contract.Expand(contract.GetKYCStatus.Path, account.ID)
				tag := ask("GET", check, "").Header().Get("ETag")
				snapshot := ask("GET", contract.GetSandboxSnapshot.Path, "").Body.String()
				require.Equal(t, http.StatusOK, ask("PUT", faultsPath, `{"faults":[`+test.faults+`]}`).Code)

				began := make(chan *http.Response, 1)
				go func() {
					if test.faults == "" {
						began <- ask("GET", check, "", "If-None-Match", tag, "Prefer", "wait=60").Result()
					} else {
						began <- ask("POST", accountsPath, adaBody).Result()
					}
				}()
				synctest.Wait()
				method, path, body := "POST", contract.ResetSandbox.Path, ""
				if test.restore {
					method, path, body = "PUT", contract.RestoreSandboxSnapshot.Path, snapshot
				}
				var world payments.SandboxWorld
				require.NoError(t, json.Unmarshal(ask(method, path, body).Body.Bytes(), &world))
				answered := <-began
				require.Equal(t, test.status, answered.StatusCode)
				require.Equal(t, []string{world.Instance}, answered.Header.Values("Payctl-World"))
				require.NoError(t, answered.Body.Close())
				require.JSONEq(t, `{"data":[],"nextCursor":null}`, ask("GET", requestsPath, "").Body.String())
			})
		})
	}
}

// So does the answer to a request that meets a reset in the very moment of it, before the disk has it.
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

// A service that ignores idempotency keys simulates one without worlds, also after a reset.
func TestNoWorldIsNamedWithoutIdempotencyKeys(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{IgnoreIdempotencyKeys: true})
	for _, answer := range []*answer{a.do("GET", accountsPath, ""), a.restore(a.snapshot()), a.reset()} {
		require.Empty(t, answer.header.Values("Payctl-World"))
	}
}
