package service_test

import (
	"crypto/rand"
	"maps"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Delays of the script of the tests.
const (
	kycDelay    = 2 * time.Second
	settleDelay = 500 * time.Millisecond
)

var script = sandbox.Script{KYCDelay: kycDelay, SettleDelay: settleDelay}

var once service.WriteKey // no key

// paytestStart is when the clock of a new world starts.
var paytestStart = paytest.Start

// world is a service with its clock.
type world struct {
	*service.Service
	clock *sandbox.Clock
	seen  *[]happening // what was written
}

func testCatalogue() *routes.Catalogue {
	return must(routes.Default())
}

// newWorld returns the world of a client in a store. Every write is audited.
func newWorld(t require.TestingT, s store.Store, client string) *world {
	return newWorldBy(t, s, client, testCatalogue(), script, paytest.Start)
}

// newWorldBy is like newWorld, with another catalogue, script and start of the clock.
func newWorldBy(
	t require.TestingT, s store.Store, client string, offered *routes.Catalogue, by sandbox.Script, start time.Time,
) *world {
	w := &world{clock: sandbox.NewManualClock(start), seen: new([]happening)}
	w.Service = service.New(audited{s, t, w.seen}, client, offered, w.clock, by, service.NewIDs(rand.Reader))
	return w
}

func empty(t require.TestingT) *world { return newWorld(t, memory.New(), "client") }

func (w *world) advance(t require.TestingT, d time.Duration) {
	w.clock.Advance(d)
	require.NoError(t, w.RunDueJobs(background))
}

func person(email string) payments.NewAccount {
	return payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "Lovelace", Email: email, Country: "GB",
	}
}

func (w *world) open(email string) payments.Account {
	return must(w.CreateAccount(background, person(email), once)).Value
}

// approved opens an account and waits for its approval.
func (w *world) approved(t require.TestingT) payments.Account {
	account := w.open("ada@example.com")
	w.advance(t, kycDelay)
	return account
}

func contactTo(t require.TestingT, rail, currency, label string) payments.NewSavedContact {
	members := map[string]string{
		"label": label, "holderName": "Grace Hopper", "holderType": "individual", "paymentRail": rail, "currency": currency,
	}
	maps.Copy(members, paytest.Coordinates(rail))
	var contact payments.NewSavedContact
	require.NoError(t, json.Unmarshal(must(json.Marshal(members)), &contact))
	return contact
}

func (w *world) save(t require.TestingT, rail, currency, label string) payments.SavedContact {
	return must(w.CreateSavedContact(background, contactTo(t, rail, currency, label), once)).Value
}

func to(contact payments.SavedContact, route, amount string) payments.NewAutoTransfer {
	over := payments.RouteChoice{RouteKey: route}
	request := payments.NewAutoTransfer{DestinationSavedContactID: contact.ID, Route: over}
	if amount != "" {
		request.Amount = new(money.MustDecimal(amount))
	}
	return request
}

func (w *world) send(request payments.NewAutoTransfer) payments.Transfer {
	return must(w.CreateAutoTransfer(background, request, once)).Value
}

func (w *world) transfer(id string) payments.Transfer {
	return must(w.GetTransfer(background, id, service.ReadOptions{})).Value
}

func (w *world) kyc(id string) payments.KYC {
	return must(w.GetKYCStatus(background, id, service.ReadOptions{})).Value
}

// must returns the value of a call that must succeed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// errOf returns the error of a call and ignores its value.
func errOf[T any](_ T, err error) error { return err }

// requireRefused requires that an error is a problem of this type.
func requireRefused(t require.TestingT, err error, kind payments.ProblemType) *payments.ProblemError {
	var refusal *payments.ProblemError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, kind, refusal.ProblemType(), refusal.Error())
	return refusal
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
