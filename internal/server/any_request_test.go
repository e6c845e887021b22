package server_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// target is a service without a network, with some things in it.
type target struct {
	*refserver.Server
	token string
	// otherToken and snapshot are another client's.
	otherToken string
	snapshot   []byte
	ids        []string // of one of each; requests may delete and change them
	// account and contact are approved and stay.
	account, contact string
}

// world is the test client's.
func (x *target) world(t require.TestingT) *sandbox.World {
	world, err := x.Worlds.Of(context.Background(), paytest.ClientID)
	require.NoError(t, err)
	return world
}

// open opens an account that is approved, or is a business that lacks its registration number.
func (x *target) open(t require.TestingT, complete bool) string {
	request := payments.NewAccount{Type: payments.AccountTypeBusiness, LegalName: "Analytical Engines", Email: "office@example.com", Country: "GB"}
	if complete {
		request.RegistrationNumber = "01234567"
	}
	world := x.world(t)
	account, err := world.Service.CreateAccount(context.Background(), request, payments.Idempotency{})
	require.NoError(t, err)
	require.NoError(t, world.Advance(context.Background(), time.Minute))
	return account.Value.ID
}

func (x *target) save(t require.TestingT, account string) string {
	contact, err := x.world(t).Service.CreateSavedContact(context.Background(), payments.NewSavedContact{
		AccountID: account, Label: "Grace", HolderName: "Grace", HolderType: payments.AccountTypeIndividual, PaymentRail: "base", Currency: "USDC",
		Address: paytest.Coordinates("base")["address"],
	}, payments.Idempotency{})
	require.NoError(t, err)
	return contact.Value.ID
}

func newTarget(t testing.TB, config refserver.Config) *target {
	t.Helper()
	config.Clock = sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start}
	s, err := refserver.New(config)
	require.NoError(t, err)
	x := &target{Server: s, token: login(t, s.Handler, paytest.ClientID), otherToken: login(t, s.Handler, "other")}
	other, err := s.Worlds.Of(t.Context(), "other")
	require.NoError(t, err)
	snapshot, err := other.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	x.snapshot, err = json.Marshal(snapshot)
	require.NoError(t, err)
	x.account = x.open(t, true)
	x.contact = x.save(t, x.account)
	x.ids = []string{"none", x.open(t, true), x.open(t, false), x.save(t, x.account), x.transfer(t)}
	return x
}

func (x *target) transfer(t require.TestingT) string {
	transfer, err := x.world(t).Service.CreateAutoTransfer(context.Background(), payments.NewAutoTransfer{
		DestinationSavedContactID: x.contact, Route: payments.RouteChoice{RouteKey: "ach:USD->base:USDC"}}, payments.Idempotency{})
	require.NoError(t, err)
	return transfer.Value.ID
}

// ask sends one request and holds the answer to the contract, and to never be the service's own failure.
func (x *target) ask(t require.TestingT, r *http.Request) *http.Response {
	response, body, err := paytest.Serve(x.Handler, r)
	require.NoError(t, err, "%s %s → %d %s", r.Method, r.URL, response.StatusCode, body)
	require.NoError(t, response.Body.Close())
	require.Less(t, response.StatusCode, 500, "%s %s → %s", r.Method, r.URL, body)
	return response
}

// Whatever is sent to whatever operation, no answer is a failure of the service, and each is one that the contract has.
func TestAnyRequestGetsAResponseOfTheContract(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]refserver.Config{"lenient": {}, "strict": {Strict: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTarget(t, config)
			const revoke = "revokeAccessToken"
			missing := map[string]bool{} // operations that have not succeeded
			for _, op := range contract.Operations {
				if op.ID != revoke {
					missing[op.ID] = true
				}
			}
			const enough = 20 // what is drawn may by chance not do once, where few requests are asked for
			for round := 0; round < enough && len(missing) > 0; round++ {
				rapid.Check(t, func(t *rapid.T) {
					for _, op := range contract.Operations {
						if op.ID == revoke {
							continue // it would lock everyone else out
						}
						if response := x.ask(t, x.request(t, op)); response.StatusCode < 300 {
							delete(missing, op.ID)
						}
					}
				})
			}
			require.Empty(t, missing, "never succeeded; the test has become blind")
		})
	}
}

// request makes a request to an operation: mostly of the right form, with a generated body.
func (x *target) request(t *rapid.T, op *contract.Operation) *http.Request {
	id := rapid.SampledFrom(x.ids).Draw(t, "id")
	if op.ID == "getProblemType" {
		id = rapid.SampledFrom([]string{"not-found", "none"}).Draw(t, "problem type")
	}
	there := rapid.Bool().Draw(t, "of things that are there")
	if there {
		id = x.suited(t, op, id)
	}
	path := contract.Expand(op.Path, id)
	if len(op.Query) > 0 {
		path += "?" + x.query(t, op).Encode()
	}
	var body []byte
	if op.Body != nil {
		body = paytest.Body(op.Body).Draw(t, op.ID)
		if there {
			body = x.related(t, op, body)
		}
	}
	r := httptest.NewRequest(op.Method, path, bytes.NewReader(body))
	if op.Body != nil {
		r.Header.Set("Content-Type", op.BodyMedia)
	}
	switch op.Access {
	case contract.Basic:
		r.SetBasicAuth(paytest.ClientID, rapid.SampledFrom([]string{paytest.ClientSecret, "wrong"}).Draw(t, "secret"))
	case contract.Bearer:
		r.Header.Set("Authorization", "Bearer "+x.tokenFor(op))
	case contract.Open:
	}
	if op.TakesIdempotencyKey && rapid.Bool().Draw(t, "with a key") {
		r.Header.Set("Idempotency-Key", rapid.StringMatching(`[a-c]{0,2}"?`).Draw(t, "key"))
	}
	if op.TakesPreferWait && rapid.Bool().Draw(t, "conditional") {
		r.Header.Set("If-None-Match", rapid.SampledFrom([]string{`"1"`, `W/"2"`, "*", "garbage"}).Draw(t, "tag"))
	}
	return r
}

// tokenFor is the token of a client of its own for what would take the ground from under the other operations.
func (x *target) tokenFor(op *contract.Operation) string {
	if op.ID == "resetSandbox" || op.ID == "restoreSandboxSnapshot" || op.ID == "setSandboxFaults" {
		return x.otherToken
	}
	return x.token
}

// suited is an identifier with which the operation works.
func (x *target) suited(t *rapid.T, op *contract.Operation, otherwise string) string {
	switch op.ID {
	case "getAccount", "getKycStatus", "updateAccount":
		return x.account
	case "submitKyc":
		return x.open(t, false)
	case "getSavedContact", "updateSavedContact":
		return x.contact
	case "deleteSavedContact":
		return x.save(t, x.account)
	case "getTransfer", "cancelTransfer", "createSandboxDeposit", "setSandboxTransferState":
		return x.transfer(t)
	case "setSandboxKyc":
		return x.open(t, true)
	}
	return otherwise
}

// related is a body with which the operation works, where a generated one hardly ever does.
func (x *target) related(t *rapid.T, op *contract.Operation, otherwise []byte) []byte {
	switch op.ID {
	case "createAccount":
		return []byte(adaBody)
	case "createAutoTransfer":
		route := rapid.SampledFrom([]string{"ach:USD->base:USDC", "pix:BRL->base:USDC"}).Draw(t, "route")
		return []byte(`{"destinationSavedContactId":"` + x.contact + `","route":"` + route + `"}`)
	case "createSavedContact":
		body := contactBody(t, rapid.SampledFrom([]string{"base", "ethereum", "pix"}).Draw(t, "rail"), "USDC")
		return []byte(strings.Replace(body, "{", `{"accountId":"`+x.account+`",`, 1))
	case "setSandboxFaults":
		return []byte(`{"faults":[{"operation":"*","action":"drop"}]}`)
	case "restoreSandboxSnapshot":
		return x.snapshot
	case "setSandboxClock":
		return []byte(`{"mode":"manual"}`)
	case "advanceSandboxClock":
		return []byte(`{"duration":"1ms"}`)
	case "setSandboxKyc":
		return []byte(`{"status":"paused"}`)
	case "createSandboxDeposit":
		return []byte(`{"amount":"100"}`)
	case "setSandboxTransferState":
		return []byte(`{"state":"failed"}`)
	case "updateAccount":
		return []byte(`{"phoneNumber":null,"metadata":{"a":"b","c":null}}`)
	case "updateSavedContact":
		return []byte(`{"label":"Bea","metadata":{"a":"b","c":null}}`)
	case "submitKyc":
		return []byte(`{"requirements":[{"name":"registrationNumber","value":"01234567"}]}`)
	}
	return otherwise
}

func (x *target) query(t *rapid.T, op *contract.Operation) url.Values {
	query := url.Values{}
	for _, parameter := range op.Query {
		if rapid.IntRange(0, 3).Draw(t, "has "+parameter.Name) == 3 {
			query.Set(parameter.Name, rapid.SampledFrom([]string{"1", "100", "0", "", "acc_1", "trf_", "approved", "failed", "2026-01-01T00:00:00Z", "ä", "%"}).Draw(t, parameter.Name))
		}
	}
	return query
}

// FuzzBody throws any bytes at every operation that takes a body.
func FuzzBody(f *testing.F) {
	var operations []*contract.Operation
	for _, op := range contract.Operations {
		if op.Body != nil {
			operations = append(operations, op)
		}
	}
	for i := range operations {
		for _, body := range []string{`{}`, adaBody, `{"destinationSavedContactId":"sct_1","route":"ach:USD->base:USDC"}`, `{"requirements":[{"name":"a","value":"b"}]}`, `[`, ``} {
			f.Add(uint(i), operations[i].BodyMedia, "k", []byte(body))
		}
	}
	x := newTarget(f, refserver.Config{})
	f.Add(uint(2), "application/json; charset=utf-8", "k", []byte(`{"label":"a","label":"b"}`))
	f.Add(uint(0), "application/x-www-form-urlencoded", `"k"`, []byte(`{"scope":"kyc:read"}`))
	f.Fuzz(func(t *testing.T, which uint, media, key string, body []byte) {
		op := operations[which%uint(len(operations))]
		r := httptest.NewRequestWithContext(t.Context(), op.Method, contract.Expand(op.Path, x.ids[int(which/16)%len(x.ids)]), bytes.NewReader(body))
		r.Header.Set("Content-Type", media)
		r.Header.Set("Idempotency-Key", key)
		r.Header.Set("Authorization", "Bearer "+x.tokenFor(op))
		if op.Access == contract.Basic {
			r.SetBasicAuth(paytest.ClientID, paytest.ClientSecret)
		}
		x.ask(t, r)
	})
}
