package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

var (
	start = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)
	once  service.WriteKey // no key
	keyed = service.WriteKey{Key: "k", Fingerprint: "f"}
)

const (
	kycDelay    = 2 * time.Second
	settleDelay = 500 * time.Millisecond
)

// worlds returns worlds with a manual clock. Each change edits their configuration.
func worlds(s store.Store, change ...func(*sandbox.Config)) *sandbox.Worlds {
	config := sandbox.Config{
		Store: s, Catalogue: must(routes.Default()),
		Script: sandbox.Script{KYCDelay: kycDelay, SettleDelay: settleDelay},
		Clock:  sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: start},
	}
	for _, c := range change {
		c(&config)
	}
	return sandbox.New(config)
}

// tested is a world with its test.
type tested struct {
	*sandbox.World
	t testing.TB
}

func enter(t testing.TB, ws *sandbox.Worlds, client string) *tested {
	return &tested{must(ws.Of(t.Context(), client)), t}
}

func newWorld(t testing.TB, change ...func(*sandbox.Config)) *tested {
	return enter(t, worlds(memory.New(), change...), "ada")
}

func (w *tested) advance(d time.Duration) {
	w.t.Helper()
	require.NoError(w.t, w.Advance(w.t.Context(), d))
}

func (w *tested) open(email string) payments.Account {
	return must(w.CreateAccount(w.t.Context(), payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "Lovelace", Email: email, Country: "GB",
	}, once)).Value
}

func (w *tested) kyc(id string) payments.KYC {
	return must(w.GetKYCStatus(w.t.Context(), id, service.ReadOptions{})).Value
}

func (w *tested) save(account, label string) payments.SavedContact {
	return must(w.CreateSavedContact(w.t.Context(), payments.NewSavedContact{
		AccountID: account, Label: label, HolderName: "Ada L", HolderType: payments.AccountTypeIndividual,
		PaymentRail: "sepa", Currency: "EUR", IBAN: "DE89370400440532013000",
	}, once)).Value
}

// send creates a transfer of USDC to a bank account in EUR. An empty amount makes it flexible.
func (w *tested) send(label, amount string) payments.Transfer {
	account := w.open("ada@example.com")
	w.advance(kycDelay)
	over := payments.RouteChoice{RouteKey: "base:USDC->sepa:EUR"}
	request := payments.NewAutoTransfer{DestinationSavedContactID: w.save(account.ID, label).ID, Route: over}
	if amount != "" {
		request.Amount = new(money.MustDecimal(amount))
	}
	return must(w.CreateAutoTransfer(w.t.Context(), request, once)).Value
}

func (w *tested) deposit(id, amount string) (service.Written[payments.Transfer], error) {
	return w.CreateSandboxDeposit(w.t.Context(), id, payments.SandboxDeposit{Amount: money.MustDecimal(amount)}, once)
}

func (w *tested) transfer(id string) payments.Transfer {
	return must(w.GetTransfer(w.t.Context(), id, service.ReadOptions{})).Value
}

// refused requires that an error is a problem of this type.
func refused(t testing.TB, err error, kind payments.ProblemType) *payments.ProblemError {
	t.Helper()
	var refusal *payments.ProblemError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, kind, refusal.ProblemType(), refusal.Detail)
	return refusal
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
