package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
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
)

func TestResetBeginsAnew(t *testing.T) {
	t.Parallel()
	ws := worlds(memory.New())
	w, other := enter(t, ws, "ada"), enter(t, ws, "bob")
	must(w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, keyed))
	account, kept := w.open("ada@example.com"), other.open("bob@example.com")
	instance := w.Instance()
	world := must(w.ResetSandbox(t.Context()))
	require.NotEqual(t, instance, world.Instance)
	require.Equal(t, world.Instance, w.Instance())
	require.Equal(t, start, w.Now())
	refused(t, errOf(w.GetAccount(t.Context(), account.ID, service.ReadOptions{})), payments.ProblemNotFound)
	again := must(w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, keyed))
	require.False(t, again.Replayed, "keys are gone too")
	require.Equal(t, kept.ID, other.kyc(kept.ID).AccountID, "other worlds are not affected")
}

// A restored world goes on from its snapshot, whatever it did in between and whichever world it is restored into.
func TestRestoreBringsBackTheWorld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send("Ada+transfer-returned", "10.00")
	pending := w.open("bob@example.com")
	polled := w.open("eve+kyc-polls-3@example.com")
	w.kyc(polled.ID)
	request := payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: "a@example.com", Country: "GB",
	}
	created := must(w.CreateAccount(t.Context(), request, keyed))
	patch := payments.MergePatch{"externalId": "vendor-8"}
	must(w.UpdateSavedContact(t.Context(), transfer.DestinationSavedContactID, patch, keyed))
	tagged := must(w.GetAccount(t.Context(), created.Value.ID, service.ReadOptions{}))
	snapshot := must(w.GetSandboxSnapshot(t.Context()))
	require.Equal(t, w.Instance(), snapshot.Instance)

	finish := func(w *tested) (payments.Transfer, payments.KYC) {
		w.advance(time.Hour)
		return w.transfer(transfer.ID), w.kyc(pending.ID)
	}
	settled, approved := finish(w)
	require.Equal(t, payments.TransferStateRefunded, settled.State)
	late := w.open("late@example.com")

	for _, into := range []*tested{w, newWorld(t)} {
		text := must(json.Marshal(snapshot, jsontext.WithIndent("  "))) // as a user may have formatted it
		var read payments.SandboxSnapshot
		require.NoError(t, json.Unmarshal(text, &read))
		before := into.Instance()
		world := must(into.RestoreSandboxSnapshot(t.Context(), read))
		require.NotEqual(t, before, world.Instance)
		require.NotEqual(t, snapshot.Instance, world.Instance)
		require.Equal(t, snapshot.TakenAt, into.Now())
		again := must(into.GetSandboxSnapshot(t.Context()))
		require.Equal(t, strip(t, snapshot.World), strip(t, again.World))

		require.Equal(t, payments.TransferStateAwaitingFunds, into.transfer(transfer.ID).State)
		refused(t, errOf(into.GetAccount(t.Context(), late.ID, service.ReadOptions{})), payments.ProblemNotFound)
		replayed := must(into.CreateAccount(t.Context(), request, keyed))
		require.True(t, replayed.Replayed)
		require.Equal(t, written(created.Value), written(replayed.Value))
		patched := must(into.UpdateSavedContact(t.Context(), transfer.DestinationSavedContactID, patch, keyed))
		require.True(t, patched.Replayed)
		found := must(into.ListSavedContacts(t.Context(), payments.SavedContactFilter{ExternalID: "vendor-8"}))
		require.Len(t, found.Data, 1, "what a patch changed")
		restored := must(into.GetAccount(t.Context(), created.Value.ID, service.ReadOptions{}))
		require.NotEqual(t, tagged.ETag, restored.ETag, "a restore changes entity tags")
		require.Greater(t, into.open("new@example.com").ID, created.Value.ID)
		settledAgain, approvedAgain := finish(into)
		settledAgain.OnchainTransactions, settled.OnchainTransactions = nil, nil // hashes are drawn anew
		require.Equal(t, written(settled), written(settledAgain))
		require.Equal(t, written(approved), written(approvedAgain))
		require.Equal(t, payments.KYCStatusPending, into.kyc(polled.ID).Status, "the read before the snapshot counts")
		require.Equal(t, payments.KYCStatusPending, into.kyc(polled.ID).Status)
		require.Equal(t, payments.KYCStatusApproved, into.kyc(polled.ID).Status)
	}
}

// A service restores its snapshot even if the catalogue has changed since the transfers were created.
func TestRestoreWithAnotherCatalogue(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	before := enter(t, worlds(kept), "ada")
	settled := before.send("Ada", "10.00")
	before.advance(time.Minute)
	waiting := before.send("Ada", "")
	w := enter(t, worlds(kept, func(c *sandbox.Config) { c.Catalogue = &routes.Catalogue{} }), "ada")
	must(w.RestoreSandboxSnapshot(t.Context(), must(w.GetSandboxSnapshot(t.Context()))))
	w.advance(time.Minute)
	require.Equal(t, payments.TransferStatePaymentProcessed, w.transfer(settled.ID).State)
	require.Equal(t, service.ReasonRouteUnavailable, *w.transfer(waiting.ID).FailureReason)
}

// written returns a value as JSON.
func written(value any) string { return string(must(json.Marshal(value, json.Deterministic(true)))) }

// strip removes the differences between instances.
func strip(t *testing.T, world jsontext.Value) map[string]any {
	var members map[string]any
	require.NoError(t, json.Unmarshal(world, &members))
	delete(members, "Generation")
	return members
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada@example.com")
	good := must(w.GetSandboxSnapshot(t.Context()))
	changed, version := good, good
	changed.World = jsontext.Value(strings.Replace(string(good.World), "Ada", "Eve", 1))
	version.Version = "2"
	forged := func(from, to string) payments.SandboxSnapshot { // with a valid checksum
		forged := good
		forged.World = jsontext.Value(strings.ReplaceAll(string(good.World), from, to))
		require.NotEqual(t, good.World, forged.World, from)
		canonical := forged.World.Clone()
		require.NoError(t, canonical.Canonicalize())
		sum := sha256.Sum256(canonical)
		forged.Checksum = hex.EncodeToString(sum[:])
		return forged
	}
	for name, test := range map[string]struct {
		snapshot payments.SandboxSnapshot
		field    string
	}{
		"changed":             {changed, "checksum"},
		"another version":     {version, "version"},
		"an unknown part":     {forged(`"Accounts":`, `"Acounts":`), "world"},
		"a clock too fast":    {forged(`"Scale":0`, `"Scale":-1`), "world"},
		"a missing record":    {forged(`"Contacts":[]`, `"Contacts":[null]`), "world"},
		"a number for a text": {forged(`"individual"`, `1`), "world"},
	} {
		_, err := w.RestoreSandboxSnapshot(t.Context(), test.snapshot)
		require.Contains(t, refused(t, err, payments.ProblemValidation).Errors, test.field, name)
	}
	require.Equal(t, payments.KYCStatusPending, w.kyc(account.ID).Status, "nothing has changed")
	require.Equal(t, good.Instance, w.Instance())
}

// The same seed and calls give a world the same identifiers and hashes, in whatever order worlds are used. This also
// holds after a reset and a restore.
func TestSeed(t *testing.T) {
	t.Parallel()
	seeded := func(seed uint64) *sandbox.Worlds {
		return worlds(memory.New(), func(c *sandbox.Config) { c.Seed = &seed })
	}
	play := func(w *tested) []string {
		transfer := w.send("Ada", "10.00")
		w.advance(time.Minute)
		hash := w.transfer(transfer.ID).OnchainTransactions[0].Hash
		return []string{transfer.ID, transfer.AccountID, transfer.DestinationSavedContactID, hash, w.NewRequestID()}
	}
	one, two := seeded(7), seeded(7)
	ada, bob := enter(t, one, "ada"), enter(t, one, "bob")
	adas, bobs := play(ada), play(bob)
	require.Equal(t, bobs, play(enter(t, two, "bob")))
	later := enter(t, two, "ada")
	require.Equal(t, adas, play(later))
	require.Equal(t, ada.Instance(), later.Instance())
	require.NotEqual(t, ada.Instance(), bob.Instance())
	for i := range adas {
		require.NotEqual(t, adas[i], bobs[i])
	}
	require.NotEqual(t, adas, play(enter(t, seeded(8), "ada")))

	reset := must(ada.ResetSandbox(t.Context()))
	require.NotEqual(t, later.Instance(), reset.Instance)
	require.Equal(t, adas, play(ada), "a reset world repeats its identifiers")
	snapshot := must(ada.GetSandboxSnapshot(t.Context()))
	var after [2][]string
	for i := range after {
		w := enter(t, seeded(7), "ada")
		must(w.RestoreSandboxSnapshot(t.Context(), snapshot))
		after[i] = play(w)
		require.NotContains(t, after[i], adas[0], "no identifier is drawn twice")
	}
	require.Equal(t, after[0], after[1])
}
