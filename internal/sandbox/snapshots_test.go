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
	ws := worlds(t, memory.New())
	w, other := enter(t, ws, "ada"), enter(t, ws, "bob")
	key := service.WriteKey{Key: "k", Fingerprint: "f"}
	_, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, key)
	require.NoError(t, err)
	account, kept := w.open("ada@example.com"), other.open("bob@example.com")
	instance := w.Instance()
	world, err := w.ResetSandbox(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, instance, world.Instance)
	require.Equal(t, world.Instance, w.Instance())
	require.Equal(t, start, w.Now())
	_, err = w.GetAccount(t.Context(), account.ID, service.ReadOptions{})
	refused(t, err, payments.ProblemNotFound)
	again, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, key)
	require.NoError(t, err)
	require.False(t, again.Replayed, "keys are gone too")
	require.Equal(t, kept.ID, other.kyc(kept.ID).AccountID, "other worlds notice nothing")
}

// After a restore, a world goes on as it would have without, no matter what it did meanwhile or where it is restored.
func TestRestoreBringsBackTheWorld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	transfer := w.send("Ada+transfer-returned", "10.00")
	pending := w.open("bob@example.com")
	polled := w.open("eve+kyc-polls-3@example.com")
	w.kyc(polled.ID)
	key := service.WriteKey{Key: "k", Fingerprint: "f"}
	request := payments.NewAccount{
		Type: payments.AccountTypeIndividual, FirstName: "A", LastName: "B", Email: "a@example.com", Country: "GB",
	}
	created, err := w.CreateAccount(t.Context(), request, key)
	require.NoError(t, err)
	patch := payments.MergePatch{"externalId": "vendor-8"}
	_, err = w.UpdateSavedContact(t.Context(), transfer.DestinationSavedContactID, patch, key)
	require.NoError(t, err)
	tagged, err := w.GetAccount(t.Context(), created.Value.ID, service.ReadOptions{})
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
		_, err = into.GetAccount(t.Context(), late.ID, service.ReadOptions{})
		refused(t, err, payments.ProblemNotFound)
		replayed, err := into.CreateAccount(t.Context(), request, key)
		require.NoError(t, err)
		require.True(t, replayed.Replayed)
		require.Equal(t, written(t, created.Value), written(t, replayed.Value))
		patched, err := into.UpdateSavedContact(t.Context(), transfer.DestinationSavedContactID, patch, key)
		require.NoError(t, err)
		require.True(t, patched.Replayed)
		found, err := into.ListSavedContacts(t.Context(), payments.SavedContactFilter{ExternalID: "vendor-8"})
		require.NoError(t, err)
		require.Len(t, found.Data, 1, "what a patch changed")
		restored, err := into.GetAccount(t.Context(), created.Value.ID, service.ReadOptions{})
		require.NoError(t, err)
		require.NotEqual(t, tagged.ETag, restored.ETag, "entity tags of before are not those of after")
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

// A service restores its snapshot even if the catalogue has changed since the transfers were created.
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

// written is a value in JSON.
func written(t *testing.T, value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	require.NoError(t, err)
	return string(text)
}

// strip removes the differences between instances.
func strip(t *testing.T, world jsontext.Value) map[string]any {
	var members map[string]any
	require.NoError(t, json.Unmarshal(world, &members))
	delete(members, "Generation")
	return members
}

// forge changes a snapshot and its checksum.
func forge(t testing.TB, good payments.SandboxSnapshot, from, to string) payments.SandboxSnapshot {
	changed := good
	text := strings.ReplaceAll(string(good.World), from, to)
	require.NotEqual(t, string(good.World), text, from)
	changed.World = jsontext.Value(text)
	canonical := changed.World.Clone()
	require.NoError(t, canonical.Canonicalize())
	sum := sha256.Sum256(canonical)
	changed.Checksum = hex.EncodeToString(sum[:])
	return changed
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account := w.open("ada@example.com")
	good, err := w.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	forged := func(from, to string) payments.SandboxSnapshot { return forge(t, good, from, to) }
	changed, version := good, good
	changed.World = jsontext.Value(strings.Replace(string(good.World), "Ada", "Eve", 1))
	version.Version = "2"
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
	require.Equal(t, payments.KYCStatusPending, w.kyc(account.ID).Status, "nothing was touched")
	require.Equal(t, good.Instance, w.Instance())
}

// The same seed and calls give the same identifiers and hashes in each world, in any order of the worlds. A reset and a
// restore of the same world keep that.
func TestSeed(t *testing.T) {
	t.Parallel()
	seeded := func(seed uint64) *sandbox.Worlds {
		return worlds(t, memory.New(), func(c *sandbox.Config) { c.Seed = &seed })
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

	reset, err := ada.ResetSandbox(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, later.Instance(), reset.Instance)
	require.Equal(t, adas, play(ada), "a reset world plays the same again")
	snapshot, err := ada.GetSandboxSnapshot(t.Context())
	require.NoError(t, err)
	var after [2][]string
	for i := range after {
		w := enter(t, seeded(7), "ada")
		_, err := w.RestoreSandboxSnapshot(t.Context(), snapshot)
		require.NoError(t, err)
		after[i] = play(w)
		require.NotContains(t, after[i], adas[0], "no identifier is drawn twice")
	}
	require.Equal(t, after[0], after[1])
}
