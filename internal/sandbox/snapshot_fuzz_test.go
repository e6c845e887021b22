package sandbox_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// FuzzSnapshot restores made-up content with the right checksum. What is refused changes nothing. What is restored is a
// world: its own snapshot can be restored in another world, and it lives for a year in which each call has a result or
// is refused, and no more jobs run than were planned.
func FuzzSnapshot(f *testing.F) {
	w := newWorld(f)
	w.send("Grace+transfer-slow", "12.50")
	w.open("bob+kyc-resubmission@example.com")
	taken, err := w.GetSandboxSnapshot(f.Context())
	require.NoError(f, err)
	f.Add([]byte(taken.World))
	for _, attack := range attacks {
		f.Add([]byte(alter(f, taken, attack).World))
	}
	all := everyOutcome(f)
	for _, later := range []time.Duration{time.Millisecond, settleDelay, time.Hour, 366 * 24 * time.Hour} {
		snapshot, err := all.GetSandboxSnapshot(f.Context())
		require.NoError(f, err)
		f.Add([]byte(snapshot.World))
		all.advance(later)
	}
	for _, seed := range []string{
		"{}", `{"Accounts":[null],"Contacts":[null],"Transfers":[null],"Keys":[null],"Jobs":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if canonical := jsontext.Value(content).Clone(); canonical.Canonicalize() == nil { // a request can hold it
			snapshot := taken
			snapshot.World, snapshot.Checksum = content, sum(t, content)
			requireWorldOrRefusal(t, snapshot)
		}
	})
}

// TestAlteredSnapshots is FuzzSnapshot for real snapshots of which a few values were replaced by others, such as those
// of another record.
func TestAlteredSnapshots(t *testing.T) {
	t.Parallel()
	all := everyOutcome(t)
	var taken []payments.SandboxSnapshot
	for range 3 {
		snapshot, err := all.GetSandboxSnapshot(t.Context())
		require.NoError(t, err)
		taken = append(taken, snapshot)
		all.advance(settleDelay)
	}
	accepted := 0
	rapid.Check(t, func(r *rapid.T) {
		altered := alter(t, rapid.SampledFrom(taken).Draw(r, "snapshot"), func(world row) {
			for range rapid.IntRange(1, 3).Draw(r, "changes") {
				replaceOne(r, world)
			}
		})
		defer func() {
			if t.Failed() {
				t.Logf("the world %s", altered.World)
			}
		}()
		if requireWorldOrRefusal(t, altered) {
			accepted++
		}
	})
	require.NotZero(t, accepted)
}

// replaceOne replaces a value somewhere below another one.
func replaceOne(r *rapid.T, value any) {
	switch value := value.(type) {
	case row:
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(value))).Draw(r, "name")
		value[name] = another(r, name, value[name])
	case []any:
		if len(value) > 0 {
			i := rapid.IntRange(0, len(value)-1).Draw(r, "index")
			value[i] = another(r, "", value[i])
		}
	}
}

// another returns a value in place of one, or the same with another part.
func another(r *rapid.T, name string, value any) any {
	switch value := value.(type) {
	case row:
		if len(value) > 0 {
			replaceOne(r, value)
		}
		return value
	case []any:
		if len(value) == 0 {
			return value
		}
		i := rapid.IntRange(0, len(value)-1).Draw(r, "index")
		switch rapid.IntRange(0, 9).Draw(r, "what") {
		case 0:
			return slices.Delete(value, i, i+1)
		case 1:
			return append(value, value[i])
		case 2:
			return slices.Insert(value, 0, value[i])
		}
		replaceOne(r, value)
		return value
	case float64:
		return rapid.SampledFrom([]any{-1, 0, 1, 2, 3, 4, 1000, 1001, math.MaxInt32, math.MaxInt}).Draw(r, "number")
	case bool:
		return !value
	case string:
		of := []any{"", "x", value + "0"}
		switch strings.ToLower(name) {
		case "status", "kycstatus":
			for _, status := range kycStatuses {
				of = append(of, status)
			}
		case "state":
			for _, state := range transferStates {
				of = append(of, state)
			}
		case "after":
			of = []any{"-1ns", "0s", "1ns", "720h0m0s", "2562047h0m0s"}
		default:
			if at, ok := payments.ParseTime(value); ok {
				of = []any{"1969-12-31T00:00:00Z", "1970-01-01T00:00:00Z", "9997-06-01T00:00:00Z", "9999-12-31T00:00:00Z"}
				for _, later := range []time.Duration{-time.Hour, time.Nanosecond, time.Hour, 9000 * time.Hour} {
					of = append(of, at.Add(later).Format(time.RFC3339Nano)) // which may be a year of five digits
				}
			}
			if _, err := payments.ParseDecimal(value); err == nil {
				of = []any{"0.00", "-1", "0.000000000000000001", "999999999999999999.999999999999999999"}
			}
		}
		return rapid.SampledFrom(of).Draw(r, "text")
	}
	return rapid.SampledFrom([]any{nil, "x", 1, "2026-01-01T09:00:00Z", "1.00"}).Draw(r, "value")
}

// requireWorldOrRefusal restores a snapshot, and reports whether it was accepted.
func requireWorldOrRefusal(t *testing.T, snapshot payments.SandboxSnapshot) bool {
	t.Helper()
	counted := &jobCounter{Store: memory.New()}
	ws := worlds(t, counted, func(c *sandbox.Config) { c.Machine = func() time.Time { return start } })
	w := enter(t, ws, "ada")
	account := w.open("ada@example.com")
	before := w.Instance()
	if _, err := w.RestoreSandboxSnapshot(t.Context(), snapshot); err != nil {
		refused(t, err, payments.KindValidation)
		require.Equal(t, before, w.Instance())
		require.Equal(t, account.ID, w.kyc(account.ID).AccountID, "what is refused changes nothing")
		return false
	}
	require.NotEqual(t, before, w.Instance())
	requireWorld(t, w)
	again := requireRestorable(t, w, enter(t, ws, "bob"))
	if w.Now().Year() > 9990 {
		w.open("new@example.com")
		return true
	}
	counted.jobs.Store(0)
	planned, calls := plannedJobs(t, again), 0
	for month := range 14 {
		w.advance([]time.Duration{time.Hour, 24 * time.Hour, 30 * 24 * time.Hour}[min(month, 2)])
		requireWorld(t, w)
		calls += w.changeSomething(month)
		require.LessOrEqual(t, int(counted.jobs.Load()), planned+maxJobsOfACall*calls)
	}
	late := requireRestorable(t, w, enter(t, ws, "eve"))
	require.LessOrEqual(t, len(late.World), 4*len(again.World)+64<<10)
	return true
}

// attacks are changes of a snapshot that its format allows.
var attacks = []func(world row){
	func(world row) { rows(world, "Accounts")[0]["Plan"] = manySteps(16) },
	func(world row) { rows(world, "Accounts")[0]["Plan"] = manySteps(200) },
	func(world row) { rows(world, "Accounts")[0]["KYC"].(row)["attempt"] = 3 },
	func(world row) {
		rows(world, "Accounts")[0]["KYC"].(row)["attempt"] = 3
		rows(world, "Accounts")[0]["Plan"] = []any{row{"After": "1s", "Status": "resubmission_required", "Polls": 0}, row{"After": "1s", "Status": "pending", "Polls": 0}}
	},
	func(world row) { world["Generation"] = math.MaxInt },
	func(world row) { world["Generation"] = math.MaxInt32 },
	func(world row) { rows(world, "Transfers")[0]["Revision"] = math.MaxInt },
	func(world row) { rows(world, "Accounts")[0]["Polled"] = -1 },
	func(world row) { rows(world, "Transfers")[0]["Plan"].([]any)[0].(row)["After"] = "-1h" },
	func(world row) { rows(world, "Transfers")[0]["Plan"].([]any)[0].(row)["After"] = "2562047h" },
	func(world row) {
		rows(world, "Transfers")[0]["Plan"].([]any)[0].(row)["Polls"] = 1000
		world["Jobs"] = nil
	},
	func(world row) { rows(world, "Transfers")[0]["Plan"].([]any)[0].(row)["ByDeposit"] = true },
	func(world row) { world["Accounts"] = slices.Repeat(world["Accounts"].([]any), 2) },
	func(world row) { world["Jobs"] = slices.Repeat(world["Jobs"].([]any), 2) },
	func(world row) { rows(world, "Jobs")[0]["Revision"] = 7 },
	func(world row) { rows(world, "Jobs")[0]["At"] = "1970-01-01T00:00:00Z" },
	func(world row) { rows(world, "Jobs")[0]["At"] = "9999-12-31T00:00:00Z" },
	func(world row) { world["Clock"].(row)["Shown"] = "9998-01-01T00:00:00Z" },
	func(world row) {
		world["Clock"] = row{"Mode": "scaled", "Scale": 1_000_000, "Shown": "2026-01-01T09:00:00Z"}
	},
	func(world row) {
		for _, name := range []string{"Accounts", "Contacts", "Transfers", "Keys", "Jobs"} {
			world[name] = nil
		}
	},
}

// everyOutcome returns a world with an account and a transfer for each outcome that a tag can choose.
func everyOutcome(t testing.TB) *tested {
	w := newWorld(t)
	for _, tag := range []string{"", "-flexible", "-failed", "-returned", "-undeliverable", "-review", "-slow", "-unfunded", "-polls-2", "-review-polls-2"} {
		amount := "10.00"
		if tag == "-flexible" {
			amount = ""
		}
		w.send("Ada+transfer"+tag, amount)
	}
	for _, tag := range []string{"rejected", "under-review", "resubmission", "expired", "paused", "stuck", "incomplete", "polls-2", "resubmission-polls-2"} {
		w.open("ada+kyc-" + tag + "@example.com")
	}
	_, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1ms"}, payments.Idempotency{Key: "k", Fingerprint: "f"})
	require.NoError(t, err)
	return w
}

// jobCounter counts the jobs that run.
type jobCounter struct {
	store.Store
	jobs atomic.Int64
}

func (c *jobCounter) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	return c.Store.Update(ctx, world, func(tx store.Tx) error { return fn(countedTx{tx, &c.jobs}) })
}

type countedTx struct {
	store.Tx
	jobs *atomic.Int64
}

func (t countedTx) FinishJob() error {
	t.jobs.Add(1)
	return t.Tx.FinishJob()
}

// maxJobsOfACall is more jobs than one call plans: the steps of a check or of a transfer, the expiry of an approval, and
// that of a key.
const maxJobsOfACall = 10

// plannedJobs returns how many jobs a world can run without further calls: the planned steps, an expiry of each approval
// and of each key, and the end of each wait for a deposit.
func plannedJobs(t testing.TB, snapshot payments.SandboxSnapshot) (jobs int) {
	alter(t, snapshot, func(world row) {
		for _, table := range []string{"Accounts", "Transfers", "Keys"} {
			for _, record := range rows(world, table) {
				steps, _ := record["Plan"].([]any)
				jobs += len(steps) + 1
			}
		}
	})
	return jobs
}

// requireRestorable restores the snapshot of a world in another world.
func requireRestorable(t *testing.T, w, other *tested) payments.SandboxSnapshot {
	t.Helper()
	snapshot, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	_, err = other.RestoreSandboxSnapshot(t.Context(), snapshot)
	require.NoError(t, err)
	copied, err := other.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, strip(t, snapshot.World), strip(t, copied.World))
	return snapshot
}

// changeSomething changes a record of each kind, and adds some. It returns how many calls it made, none of which may
// fail for a reason within the service.
func (w *tested) changeSomething(number int) (calls int) {
	ctx, key := w.t.Context(), payments.Idempotency{Key: "k", Fingerprint: "f"}
	call := func(_ any, err error) {
		w.t.Helper()
		calls++
		if err != nil {
			_, expected := errors.AsType[*payments.ProblemError](err)
			require.True(w.t, expected, "%v", err)
			require.False(w.t, payments.IsKind(err, payments.KindInternal), "%v", err)
		}
	}
	accounts, err := w.ListAccounts(ctx, payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}})
	call(accounts, err)
	transfers, err := w.ListTransfers(ctx, payments.TransferFilter{PageQuery: payments.PageQuery{Limit: 100}})
	call(transfers, err)
	if n := len(accounts.Data); n > 0 {
		id := accounts.Data[number%n].ID
		call(w.SetSandboxKYC(ctx, id, payments.SandboxKYC{Status: kycStatuses[number%len(kycStatuses)]}))
		id = accounts.Data[(number+1)%n].ID
		call(w.SubmitKYC(ctx, id, payments.KYCSubmission{Requirements: []payments.KYCAnswer{{Name: "identity_document", Document: "eA=="}}}, key))
		call(w.CreateSavedContact(ctx, payments.NewSavedContact{
			AccountID: id, Label: "Ada", HolderName: "Ada L", HolderType: payments.AccountTypeIndividual, PaymentRail: "sepa", Currency: "EUR", IBAN: "DE89370400440532013000",
		}, key))
	}
	if n := len(transfers.Data); n > 0 {
		transfer := transfers.Data[number%n]
		call(w.CreateAutoTransfer(ctx, payments.NewAutoTransfer{DestinationSavedContactID: transfer.DestinationSavedContactID, Route: payments.RouteChoice{RouteKey: "base:USDC->sepa:EUR"}}, key))
		call(w.SetSandboxTransferState(ctx, transfer.ID, payments.SandboxTransferState{State: transferStates[number%len(transferStates)]}))
		call(w.CreateSandboxDeposit(ctx, transfers.Data[(number+1)%n].ID, payments.SandboxDeposit{Amount: payments.MustDecimal("10")}, key))
		call(w.CancelTransfer(ctx, transfers.Data[(number+2)%n].ID, key))
	}
	call(w.CreateAccount(ctx, payments.NewAccount{Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: "a@example.com", Country: "GB"}, once))
	return calls
}

var transferStates = []payments.TransferState{
	payments.TransferStateInReview, payments.TransferStateFundsReceived, payments.TransferStatePaymentSubmitted, payments.TransferStatePaymentProcessed,
	payments.TransferStateReturned, payments.TransferStateRefunded, payments.TransferStateUndeliverable, payments.TransferStateFailed,
}

// requireWorld reads everything of a world.
func requireWorld(t *testing.T, w *tested) {
	t.Helper()
	all := payments.PageQuery{Limit: 100}
	accounts, err := w.ListAccounts(t.Context(), payments.AccountFilter{PageQuery: all})
	require.NoError(t, err)
	for _, a := range accounts.Data {
		require.Equal(t, a.ID, w.kyc(a.ID).AccountID)
	}
	contacts, err := w.ListSavedContacts(t.Context(), payments.SavedContactFilter{PageQuery: all})
	require.NoError(t, err)
	transfers, err := w.ListTransfers(t.Context(), payments.TransferFilter{PageQuery: all})
	require.NoError(t, err)
	for _, each := range transfers.Data {
		require.True(t, w.transfer(each.ID).State.Valid())
	}
	events, err := w.ListEvents(t.Context(), payments.EventFilter{Limit: 100})
	require.NoError(t, err)
	for _, event := range events.Data {
		require.NoError(t, event.CheckInvariants())
	}
	_, err = json.Marshal([]any{accounts, contacts, transfers, events})
	require.NoError(t, err)
}
