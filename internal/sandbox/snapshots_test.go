package sandbox_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/test/paytest"
)

func TestResetBeginsAnew(t *testing.T) {
	t.Parallel()
	ws := worlds(t, memory.New())
	w, other := enter(t, ws, "ada"), enter(t, ws, "bob")
	key := payments.Idempotency{Key: "k", Fingerprint: "f"}
	_, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, key)
	require.NoError(t, err)
	account, kept := w.open("ada@example.com"), other.open("bob@example.com")
	instance := w.Instance()
	first, err := w.GetKYCStatus(t.Context(), account.ID, payments.ReadOptions{})
	require.NoError(t, err)
	var held error
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, held = w.GetKYCStatus(t.Context(), account.ID, payments.ReadOptions{ETag: first.ETag, Wait: time.Minute})
	})
	world, err := w.ResetSandbox(t.Context())
	require.NoError(t, err)
	waiting.Wait()
	refused(t, held, payments.KindNotFound) // who waits learns of it at once

	require.NotEqual(t, instance, world.Instance)
	require.Equal(t, world.Instance, w.Instance())
	require.Equal(t, start, w.Now())
	_, err = w.GetAccount(t.Context(), account.ID, payments.ReadOptions{})
	refused(t, err, payments.KindNotFound)
	again, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, key)
	require.NoError(t, err)
	require.False(t, again.Replayed, "keys are gone too")
	require.Equal(t, kept.ID, other.kyc(kept.ID).AccountID, "other worlds notice nothing")
}

// What a world would have become it becomes after a restore as well, however far it went meanwhile and wherever it is restored.
func TestRestoreBringsBackTheWorld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send("Ada+transfer-returned", "10.00")
	pending := w.open("bob@example.com")
	polled := w.open("eve+kyc-polls-3@example.com")
	w.kyc(polled.ID)
	key := payments.Idempotency{Key: "k", Fingerprint: "f"}
	request := payments.NewAccount{Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: "a@example.com", Country: "GB"}
	created, err := w.CreateAccount(t.Context(), request, key)
	require.NoError(t, err)
	snapshot, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, w.Instance(), snapshot.Instance)

	finish := func(w *tested) (payments.Transfer, payments.KYC) {
		w.advance(time.Hour)
		return w.transfer(transfer.ID), w.kyc(pending.ID)
	}
	settled, approved := finish(w)
	require.Equal(t, payments.TransferStateRefunded, settled.State)
	late := w.open("late@example.com")

	for _, into := range []*tested{w, newWorld(t)} {
		text, err := json.Marshal(snapshot, jsontext.WithIndent("  ")) // as a user may have formatted it
		require.NoError(t, err)
		var read payments.SandboxSnapshot
		require.NoError(t, json.Unmarshal(text, &read))
		before := into.Instance()
		world, err := into.RestoreSandboxSnapshot(t.Context(), read)
		require.NoError(t, err)
		require.NotEqual(t, before, world.Instance)
		require.NotEqual(t, snapshot.Instance, world.Instance)
		require.Equal(t, snapshot.TakenAt, into.Now())
		again, err := into.GetSandboxSnapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, strip(t, snapshot.World), strip(t, again.World))

		require.Equal(t, payments.TransferStateAwaitingFunds, into.transfer(transfer.ID).State)
		_, err = into.GetAccount(t.Context(), late.ID, payments.ReadOptions{})
		refused(t, err, payments.KindNotFound)
		replayed, err := into.CreateAccount(t.Context(), request, key)
		require.NoError(t, err)
		require.True(t, replayed.Replayed)
		require.Equal(t, written(t, created.Value), written(t, replayed.Value))
		require.Greater(t, into.open("new@example.com").ID, created.Value.ID)
		settledAgain, approvedAgain := finish(into)
		settledAgain.OnchainTransactions, settled.OnchainTransactions = nil, nil // hashes are drawn anew
		require.Equal(t, written(t, settled), written(t, settledAgain))
		require.Equal(t, written(t, approved), written(t, approvedAgain))
		require.Equal(t, payments.KYCStatusPending, into.kyc(polled.ID).Status, "the read before the snapshot counts")
		require.Equal(t, payments.KYCStatusPending, into.kyc(polled.ID).Status)
		require.Equal(t, payments.KYCStatusApproved, into.kyc(polled.ID).Status)
	}
}

// A service takes back what it took a snapshot of also where its catalogue is another one than that of the transfers' making.
func TestRestoreWithAnotherCatalogue(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	before := enter(t, worlds(t, kept), "ada")
	settled := before.send("Ada", "10.00")
	before.advance(time.Minute)
	waiting := before.send("Ada", "")
	w := enter(t, worlds(t, kept, func(c *sandbox.Config) { c.Catalogue = &routes.Catalogue{} }), "ada")
	snapshot, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	_, err = w.RestoreSandboxSnapshot(t.Context(), snapshot)
	require.NoError(t, err)
	w.advance(time.Minute)
	require.Equal(t, payments.TransferStatePaymentProcessed, w.transfer(settled.ID).State)
	require.Equal(t, service.ReasonRouteUnavailable, *w.transfer(waiting.ID).FailureReason)
}

// written is a value as it goes over the wire.
func written(t *testing.T, value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	require.NoError(t, err)
	return string(text)
}

// strip removes what differs in each instance.
func strip(t *testing.T, world jsontext.Value) map[string]any {
	var members map[string]any
	require.NoError(t, json.Unmarshal(world, &members))
	delete(members, "Generation")
	return members
}

// sum returns the checksum of a world.
func sum(t testing.TB, world jsontext.Value) string {
	canonical := world.Clone()
	require.NoError(t, canonical.Canonicalize())
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// forge changes a snapshot, and gives it the checksum of what it then is.
func forge(t testing.TB, good payments.SandboxSnapshot, from, to string) payments.SandboxSnapshot {
	changed := good
	text := strings.ReplaceAll(string(good.World), from, to)
	require.NotEqual(t, string(good.World), text, from)
	changed.World = jsontext.Value(text)
	changed.Checksum = sum(t, changed.World)
	return changed
}

// A row is a record in a snapshot.
type row = map[string]any

// rows returns the records of a table in a snapshot.
func rows(world row, table string) (all []row) {
	for _, record := range world[table].([]any) {
		all = append(all, record.(row))
	}
	return all
}

// alter is forge for content that is decoded.
func alter(t testing.TB, good payments.SandboxSnapshot, change func(world row)) payments.SandboxSnapshot {
	var world row
	require.NoError(t, json.Unmarshal(good.World, &world))
	change(world)
	text, err := json.Marshal(world, json.Deterministic(true))
	require.NoError(t, err)
	good.World, good.Checksum = text, sum(t, text)
	return good
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada@example.com")
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	forged := func(from, to string) payments.SandboxSnapshot { return forge(t, good, from, to) }
	shown := `"Shown":"` + w.Now().Format(time.RFC3339Nano) + `"`
	changed, version := good, good
	changed.World = jsontext.Value(strings.Replace(string(good.World), "Ada", "Eve", 1))
	version.Version = "2"
	for name, test := range map[string]struct {
		snapshot payments.SandboxSnapshot
		field    string
	}{
		"changed":                    {changed, "checksum"},
		"another version":            {version, "version"},
		"an unknown part":            {forged(`"Accounts":`, `"Acounts":`), "world"},
		"a missing record":           {forged(`"Contacts":[]`, `"Contacts":[null]`), "world"},
		"an unknown state":           {forged(`"pending"`, `"frozen"`), "world"},
		"an unknown plan":            {forged(`"Status":"approved"`, `"Status":"expired"`), "world"},
		"an unknown job":             {forged(`"Kind":"kyc"`, `"Kind":"tea"`), "world"},
		"a clock too fast":           {forged(`"Scale":0`, `"Scale":-1`), "world"},
		"a clock before identifiers": {forged(shown, `"Shown":"1969-12-31T23:59:59.999Z"`), "world"},
		"a clock before all years":   {forged(shown, `"Shown":"0000-01-01T00:00:00+01:00"`), "world"},
		"a foreign id":               {forged(account.ID, "x"), "world"},
		"half an id":                 {forged(account.ID, account.ID[:20]), "world"},
		"an id behind all others":    {forged(account.ID, "acc_7zzzzzzzzzzzzzzzzzzzzzzzzz"), "world"},
		"an unknown type":            {forged(`"individual"`, `"robot"`), "world"},
	} {
		_, err := w.RestoreSandboxSnapshot(t.Context(), test.snapshot)
		require.Contains(t, refused(t, err, payments.KindValidation).Errors, test.field, name)
	}
	require.Equal(t, payments.KYCStatusPending, w.kyc(account.ID).Status, "nothing was touched")
	require.Equal(t, good.Instance, w.Instance())
}

// A transfer awaits its deposit in one state. In another one the end of the wait would fail each request from then on.
func TestRestoreRefusesADepositTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send("Ada", "10.00")
	w.advance(settleDelay)
	require.Equal(t, payments.TransferStateFundsReceived, w.transfer(transfer.ID).State)
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	_, err = w.RestoreSandboxSnapshot(t.Context(), forge(t, good, `"ByDeposit":false`, `"ByDeposit":true`))
	require.Contains(t, refused(t, err, payments.KindValidation).Errors, "world")
}

// A stored response is sent as it is when its request is repeated, so it has to be a response of its operation.
func TestRestoreRefusesAStoredResponseThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := payments.NewAccount{Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: "a@example.com", Country: "GB"}
	created, err := w.CreateAccount(t.Context(), request, payments.Idempotency{Key: "k", Fingerprint: "f"})
	require.NoError(t, err)
	snapshot, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	answer := base64.StdEncoding.EncodeToString(created.Encoded)
	long := strings.Repeat("x", 1<<18)
	for _, text := range []string{
		"", "{", "7", "null", `{"id":7}`, `{"id":"acc_1"}`, `{"` + long + `":1,"` + long + `":1}`,
		strings.Replace(string(created.Encoded), "{", `{"more":1,`, 1),
	} {
		_, err = w.RestoreSandboxSnapshot(t.Context(), forge(t, snapshot, answer, base64.StdEncoding.EncodeToString([]byte(text))))
		message := refused(t, err, payments.KindValidation).Errors["world"][0]
		require.Contains(t, message, "/Keys/0: ")
		require.Less(t, len(message), 400)
	}
}

// manySteps is a plan that is a path through the state machine of identity checks.
func manySteps(n int) (plan []any) {
	for i := range n {
		status := []string{"approved", "under_review"}[i%2]
		plan = append(plan, row{"After": "0s", "Status": status, "Polls": 0})
	}
	return plan
}

// The checksum of a snapshot has no key: anybody can give any content the right one. No content leads to a world that
// the service could not have led to, and the message says which record is wrong.
func TestRestoreRefusesWhatNoWorldCanHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send("Ada+transfer-review", "10.00")
	w.open("bob+kyc-resubmission@example.com")
	_, err := w.CreateAccount(t.Context(), payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: "a@example.com", Country: "GB",
		Metadata: payments.Metadata{"a": "b"},
	}, payments.Idempotency{Key: "k", Fingerprint: payments.FingerprintOf("POST", "/accounts/v1", nil)})
	require.NoError(t, err)
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	account := func(world row) row { return rows(world, "Accounts")[1] } // bob, whose check is pending
	transfer := func(world row) row { return rows(world, "Transfers")[0] }
	job := func(world row, kind string) row {
		all := rows(world, "Jobs")
		return all[slices.IndexFunc(all, func(j row) bool { return j["Kind"] == kind })]
	}
	steps := func(record row) []any { return record["Plan"].([]any) }
	put := func(record row, name string, value any) { record[name] = value }
	grow := func(record row, name string, n int) { record[name] = slices.Repeat(record[name].([]any), n) }

	for reason, change := range map[string]func(world row){
		"/Accounts/1: its plan has 8000 steps, and 16 are the most": func(world row) { put(account(world), "Plan", manySteps(8000)) },
		"/Accounts/1: its plan has 17 steps":                        func(world row) { put(account(world), "Plan", manySteps(17)) },
		`/Accounts/1: step 2 of its plan leads from rejected to "pending"`: func(world row) {
			put(account(world)["KYC"].(row), "attempt", 3)
			put(account(world), "Plan", append(steps(account(world)), row{"After": "0s", "Status": "pending", "Polls": 0}))
		},
		"/Accounts/1: it is or becomes incomplete after attempt 3": func(world row) {
			put(account(world), "kycStatus", "incomplete")
			put(account(world)["KYC"].(row), "status", "incomplete")
			put(account(world)["KYC"].(row), "attempt", 3)
		},
		"/Accounts/1: The attempt field must be from 0 to 3":   func(world row) { put(account(world)["KYC"].(row), "attempt", 4) },
		"/Accounts/1: Attempt is negative":                     func(world row) { put(account(world)["KYC"].(row), "attempt", -1) },
		"/Accounts/1: Revision is more than 9007199254740992":  func(world row) { put(account(world), "Revision", math.MaxInt) },
		"/Accounts/1: Polled is negative":                      func(world row) { put(account(world), "Polled", -1) },
		"/Accounts/1: it has 1001 reads":                       func(world row) { put(account(world), "Polled", 1001) },
		"/Accounts/1: Polls is negative":                       func(world row) { put(steps(account(world))[0].(row), "Polls", -1) },
		"/Accounts/1: step 1 of its plan waits for 1001 reads": func(world row) { put(steps(account(world))[0].(row), "Polls", 1001) },
		"/Accounts/1: After is negative":                       func(world row) { put(steps(account(world))[0].(row), "After", "-1ns") },
		"/Accounts/1: it is of a form":                         func(world row) { put(steps(account(world))[0].(row), "After", "1e9h") },
		"/Accounts/1: the time CreatedAt is not from 1970":     func(world row) { put(account(world), "createdAt", "1969-12-31T23:59:59Z") },
		"/Accounts/1: the time ReviewedAt is not from 1970":    func(world row) { put(account(world)["KYC"].(row), "reviewedAt", "9999-12-31T00:00:01Z") },
		"/Accounts/1: the text Code has more than 500 characters": func(world row) {
			put(account(world)["KYC"].(row), "reasons", []any{row{"code": strings.Repeat("x", 501), "message": "x"}})
		},
		"/Accounts/1: the list Reasons has 21 elements": func(world row) {
			put(account(world)["KYC"].(row), "reasons", slices.Repeat([]any{row{"code": "x", "message": "x"}}, 21))
		},
		"/Accounts/1: The reasons[0].code field is required":                   func(world row) { put(account(world)["KYC"].(row), "reasons", []any{row{"message": "x"}}) },
		"/Accounts/1: The email field must be an e-mail address":               func(world row) { put(account(world), "email", "bob") },
		"/Accounts/1: The firstName field must have at most 100":               func(world row) { put(account(world), "firstName", strings.Repeat("x", 101)) },
		"/Accounts/0: The metadata.a field must have at most 500":              func(world row) { put(rows(world, "Accounts")[0]["metadata"].(row), "a", strings.Repeat("x", 501)) },
		"/Accounts/0: it has 3145728 bytes, and 2097152 are the most":          func(world row) { pad(rows(world, "Accounts")[0], 3<<20) },
		"/Accounts/1: its identity check is that of another":                   func(world row) { put(account(world), "kycStatus", "approved") },
		"/Accounts/3: its identifier is not less than":                         func(world row) { grow(world, "Accounts", 2) },
		"/Contacts/1: its identifier is not less than":                         func(world row) { grow(world, "Contacts", 2) },
		"/Transfers/1: its identifier is not less than":                        func(world row) { grow(world, "Transfers", 2) },
		"/Keys/1: its identifier is not less than":                             func(world row) { grow(world, "Keys", 2) },
		"/Accounts/0: it is null":                                              func(world row) { put(world, "Accounts", []any{nil}) },
		"/Contacts/0: the world does not have its account":                     func(world row) { put(rows(world, "Contacts")[0], "accountId", "acc_"+strings.Repeat("0", 26)) },
		"/Contacts/0: The label field must have at most 100":                   func(world row) { put(rows(world, "Contacts")[0], "label", strings.Repeat("x", 101)) },
		"/Transfers/0: the world does not have its account":                    func(world row) { put(transfer(world), "accountId", "acc_1") },
		"/Transfers/0: the id of its contact":                                  func(world row) { put(transfer(world), "destinationSavedContactId", "x") },
		"/Transfers/0: its id is not that of a transfer":                       func(world row) { world["Transfers"] = []any{row{}} },
		"/Transfers/0: its plan has 1600 steps":                                func(world row) { put(transfer(world), "Plan", slices.Repeat(steps(transfer(world)), 400)) },
		`/Transfers/0: step 2 of its plan leads from in_review to "in_review"`: func(world row) { put(transfer(world), "Plan", slices.Repeat(steps(transfer(world))[:1], 2)) },
		"/Transfers/0: step 1 of its plan waits for a deposit": func(world row) {
			put(steps(transfer(world))[0].(row), "ByDeposit", true)
			put(steps(transfer(world))[0].(row), "Polls", 1)
		},
		"/Transfers/0: step 1 of its plan waits for 1001 reads":               func(world row) { put(steps(transfer(world))[0].(row), "Polls", 1001) },
		`/Transfers/0: step 1 of its plan has the reason "x", which does not`: func(world row) { put(steps(transfer(world))[0].(row), "Reason", "x") },
		"/Transfers/0: it has 1001 reads":                                     func(world row) { put(transfer(world), "Polled", 1001) },
		"/Transfers/0: the list OnchainTransactions has 3000 elements": func(world row) {
			put(transfer(world), "onchainTransactions", slices.Repeat([]any{row{"side": "source", "paymentRail": "base", "hash": "0x1", "createdAt": "2026-01-01T09:00:00Z"}}, 3000))
		},
		"/Transfers/0: The flowType field must be one of":           func(world row) { put(transfer(world), "flowType", "gift") },
		"/Transfers/0: source-side fees and the converted amount":   func(world row) { put(transfer(world), "convertedAmount", "1.00") },
		"/Transfers/0: it is of a form":                             func(world row) { put(transfer(world), "convertedAmount", "-1.00") },
		`/Transfers/0: it is "payment_processed" without an amount`: func(world row) { noAmount(transfer(world)) },
		"/Transfers/0: it is \"xxxx": func(world row) {
			put(transfer(world), "state", strings.Repeat("x", 1<<20))
			put(transfer(world)["source"].(row), "amount", nil)
		},
		"/Keys/0: its ID is not an operation":                      func(world row) { put(rows(world, "Keys")[0], "ID", "createTea k") },
		"/Keys/0: its fingerprint is not a hash":                   func(world row) { put(rows(world, "Keys")[0], "Fingerprint", "POST /\n{}") },
		"/Keys/0: it has no job":                                   func(world row) { put(job(world, "expire-key"), "Subject", "createAccount l") },
		"/Accounts/0: it waits for a time, and has no job for it":  func(world row) { put(world, "Jobs", []any{job(world, "transfer"), job(world, "expire-key")}) },
		"/Transfers/0: it waits for a time, and has no job for it": func(world row) { put(job(world, "transfer"), "Revision", 7) },
		"/Jobs/5: its subject has another job":                     func(world row) { world["Jobs"] = append(world["Jobs"].([]any), job(world, "transfer")) },
		"it is due before the last change of its subject":          func(world row) { put(job(world, "kyc"), "At", "2026-01-01T09:00:01Z") },
		"/Jobs/0: the time At is not from 1970":                    func(world row) { put(rows(world, "Jobs")[0], "At", "9999-12-31T00:00:01Z") },
		`/Jobs/0: its kind "tea" is not known`:                     func(world row) { put(rows(world, "Jobs")[0], "Kind", "tea") },
		"has a Generation that is not from 0":                      func(world row) { put(world, "Generation", math.MaxInt) },
		"field has a Generation that is not from 0 to 2147483647":  func(world row) { put(world, "Generation", -1) },
		"has a manual clock with the scale 1":                      func(world row) { put(world["Clock"].(row), "Scale", 1) },
		"has a real clock with the scale 0":                        func(world row) { put(world["Clock"].(row), "Mode", "real") },
		"has a scaled clock with the scale 1000001": func(world row) {
			put(world["Clock"].(row), "Mode", "scaled")
			put(world["Clock"].(row), "Scale", 1_000_001)
		},
		"has a clock that does not show a time from 1970 to 9998": func(world row) { put(world["Clock"].(row), "Shown", "9998-01-01T00:00:01Z") },
		"is of a form that this service does not know":            func(world row) { put(world, strings.Repeat("x", 1000), 1) },
	} {
		_, err := w.RestoreSandboxSnapshot(t.Context(), alter(t, good, change))
		message := refused(t, err, payments.KindValidation).Errors["world"][0]
		require.Contains(t, message, reason)
		require.Less(t, len(message), 400)
	}
	require.Equal(t, good.Instance, w.Instance())
	_, err = w.RestoreSandboxSnapshot(t.Context(), alter(t, good, func(row) {}))
	require.NoError(t, err)
}

// pad makes a record's JSON as large as n bytes, by the name of a member of its metadata, which has no bound of its own.
func pad(record row, n int) {
	text, _ := json.Marshal(record)
	record["metadata"].(row)[strings.Repeat("x", n-len(text)-len(`,"":""`))] = ""
}

// noAmount makes a transfer one that was paid out though nothing was paid in.
func noAmount(transfer row) {
	for _, name := range []string{"amount", "convertedAmount", "roundingResidue"} {
		transfer[name] = nil
	}
	transfer["source"].(row)["amount"], transfer["destination"].(row)["amount"] = nil, nil
	transfer["state"], transfer["flexible"], transfer["Plan"] = "payment_processed", true, nil
}

// A record takes far more memory than the least JSON for it. It is checked before the next one is decoded.
func TestSnapshotsOfManyRecordsTakeLittleMemory(t *testing.T) { // not parallel, as it measures what is allocated
	if paytest.Raced {
		t.Skip("the race detector allocates several times as much")
	}
	w := newWorld(t)
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	for _, table := range []string{"Accounts", "Contacts", "Transfers", "Keys", "Jobs"} {
		snapshot := alter(t, good, func(world row) { world[table] = slices.Repeat([]any{row{}}, 300_000) })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = w.RestoreSandboxSnapshot(t.Context(), snapshot)
		runtime.ReadMemStats(&after)
		require.Contains(t, refused(t, err, payments.KindValidation).Errors["world"][0], "/"+table+"/0: ")
		require.Less(t, after.TotalAlloc-before.TotalAlloc, 16*uint64(len(snapshot.World)), table)
	}
}

// A check without an attempt left is rejected instead of asking for another submission, also in a restored plan.
func TestRestoredLastAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.open("bob+kyc-resubmission@example.com").ID
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	_, err = w.RestoreSandboxSnapshot(t.Context(), alter(t, good, func(world row) { rows(world, "Accounts")[0]["KYC"].(row)["attempt"] = 3 }))
	require.NoError(t, err)
	w.advance(kycDelay)
	require.Equal(t, payments.KYCStatusRejected, w.kyc(id).Status)
}

// The count of generations stops where it would overflow, so that the snapshot of any restored world can be restored.
func TestRestoreOfTheLastGeneration(t *testing.T) {
	t.Parallel()
	ws := worlds(t, memory.New())
	w := enter(t, ws, "ada")
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	last := alter(t, good, func(world row) { world["Generation"] = math.MaxInt32 })
	for range 3 {
		_, err = w.RestoreSandboxSnapshot(t.Context(), last)
		require.NoError(t, err)
		last, err = w.GetSandboxSnapshot(t.Context())
		require.NoError(t, err)
	}
}

// An override leaves the job of the step that it replaced in the world, where it does nothing. A snapshot does not have
// it, and one of an earlier version, which has it, can be restored.
func TestStaleJobsAreNotInSnapshots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send("Ada", "10.00")
	id := w.open("bob@example.com").ID
	before, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	_, err = w.SetSandboxKYC(t.Context(), id, payments.SandboxKYC{Status: payments.KYCStatusUnderReview})
	require.NoError(t, err)
	_, err = w.CancelTransfer(t.Context(), transfer.ID, once)
	require.NoError(t, err)
	after, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	jobs := func(snapshot payments.SandboxSnapshot) (of []any) {
		alter(t, snapshot, func(world row) {
			for _, job := range rows(world, "Jobs") {
				of = append(of, job["Subject"])
			}
		})
		return of
	}
	require.Subset(t, jobs(before), []any{id, transfer.ID})
	require.NotContains(t, jobs(after), id)
	require.NotContains(t, jobs(after), transfer.ID)

	earlier := alter(t, after, func(world row) {
		alter(t, before, func(old row) {
			world["Jobs"] = append(old["Jobs"].([]any), row{"At": "2026-01-01T09:00:00Z", "Kind": "kyc", "Subject": "acc_1", "Revision": 1})
		})
	})
	_, err = w.RestoreSandboxSnapshot(t.Context(), earlier)
	require.NoError(t, err)
	again, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, strip(t, after.World), strip(t, again.World))
	w.advance(time.Hour)
	require.Equal(t, payments.KYCStatusUnderReview, w.kyc(id).Status)
	require.Equal(t, payments.TransferStateCanceled, w.transfer(transfer.ID).State)
}

// The same seed and calls give the same identifiers and hashes, in each world by itself, in whatever order; also after
// a reset, and after a restore of the same world.
func TestSeed(t *testing.T) {
	t.Parallel()
	seeded := func(seed uint64) *sandbox.Worlds {
		return worlds(t, memory.New(), func(c *sandbox.Config) { c.Seed = &seed })
	}
	play := func(w *tested) []string {
		transfer := w.send("Ada", "10.00")
		w.advance(time.Minute)
		drawn := []string{transfer.ID, transfer.AccountID, transfer.DestinationSavedContactID, w.transfer(transfer.ID).OnchainTransactions[0].Hash, w.NewRequestID()}
		require.Equal(w.t, transfer.DestinationSavedContactID, w.transfer(transfer.ID).DestinationSavedContactID)
		return drawn
	}
	one, two := seeded(7), seeded(7)
	ada, bob := enter(t, one, "ada"), enter(t, one, "bob")
	adas, bobs := play(ada), play(bob)
	laterBob, laterAda := enter(t, two, "bob"), enter(t, two, "ada")
	require.Equal(t, bobs, play(laterBob))
	require.Equal(t, adas, play(laterAda))
	require.Equal(t, ada.Instance(), laterAda.Instance())
	require.NotEqual(t, ada.Instance(), bob.Instance())
	for i := range adas {
		require.NotEqual(t, adas[i], bobs[i])
	}
	require.NotEqual(t, adas, play(enter(t, seeded(8), "ada")))

	reset, err := ada.ResetSandbox(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, laterAda.Instance(), reset.Instance)
	require.Equal(t, adas, play(ada), "a reset world plays the same again")

	snapshot, err := ada.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	var after [2][]string
	for i, w := range []*tested{enter(t, seeded(7), "ada"), enter(t, seeded(7), "ada")} {
		_, err := w.RestoreSandboxSnapshot(t.Context(), snapshot)
		require.NoError(t, err)
		after[i] = play(w)
		require.NotContains(t, after[i], adas[0], "no identifier is drawn twice")
	}
	require.Equal(t, after[0], after[1])
	require.Equal(t, one.NewRequestID("GET /x"), two.NewRequestID("GET /x"))
	require.NotEqual(t, one.NewRequestID("GET /x"), one.NewRequestID("GET /y"))
}

// A restored world has what was changed by patches, and tells the entity tags of before from its own.
func TestRestoreKeepsWhatPatchesChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada@example.com")
	contact, err := w.CreateSavedContact(t.Context(), payments.NewSavedContact{
		Label: "Ada", ExternalID: "vendor-7", Metadata: payments.Metadata{"team": "ops"}, HolderName: "Ada", HolderType: payments.AccountTypeIndividual,
		PaymentRail: "sepa", Currency: "EUR", IBAN: "DE89370400440532013000",
	}, payments.Idempotency{})
	require.NoError(t, err)
	patch := payments.MergePatch{"externalId": "vendor-8"}
	_, err = w.UpdateSavedContact(t.Context(), contact.Value.ID, patch, payments.Idempotency{Key: "k", Fingerprint: payments.FingerprintOf("", "", nil)})
	require.NoError(t, err)
	_, err = w.UpdateAccount(t.Context(), account.ID, payments.MergePatch{"email": "bea@example.com"}, payments.Idempotency{})
	require.NoError(t, err)
	snapshot, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	tag, err := w.GetAccount(t.Context(), account.ID, payments.ReadOptions{})
	require.NoError(t, err)
	into := newWorld(t)
	_, err = into.RestoreSandboxSnapshot(t.Context(), snapshot)
	require.NoError(t, err)
	for _, filter := range []payments.SavedContactFilter{{ExternalID: "vendor-8"}, {Label: "Ada"}} {
		found, err := into.ListSavedContacts(t.Context(), filter)
		require.NoError(t, err)
		require.Len(t, found.Data, 1)
		require.Equal(t, payments.Metadata{"team": "ops"}, found.Data[0].Metadata)
	}
	replayed, err := into.UpdateSavedContact(t.Context(), contact.Value.ID, patch, payments.Idempotency{Key: "k", Fingerprint: payments.FingerprintOf("", "", nil)})
	require.NoError(t, err)
	require.True(t, replayed.Replayed)
	restored, err := into.GetAccount(t.Context(), account.ID, payments.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, "bea@example.com", restored.Value.Email)
	require.NotEqual(t, tag.ETag, restored.ETag)
	again, err := into.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, strip(t, snapshot.World), strip(t, again.World))
}
