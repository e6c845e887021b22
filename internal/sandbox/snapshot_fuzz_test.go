package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store/memory"
)

// FuzzSnapshot restores made-up content with the right checksum. What is refused changes nothing. What
// is restored is a world: it can be read, its clock goes on, its own snapshot can be restored in another world, and it takes new
// records.
func FuzzSnapshot(f *testing.F) {
	w := newWorld(f)
	w.send("Grace+transfer-slow", "12.50")
	w.open("bob+kyc-stuck@example.com")
	taken, err := w.GetSandboxSnapshot(f.Context())
	require.NoError(f, err)
	f.Add([]byte(taken.World))
	f.Fuzz(func(t *testing.T, content []byte) {
		canonical := jsontext.Value(content).Clone()
		if canonical.Canonicalize() != nil {
			return // no body of a request can hold it
		}
		sum := sha256.Sum256(canonical)
		snapshot := taken
		snapshot.World, snapshot.Checksum = content, hex.EncodeToString(sum[:])
		ws := worlds(t, memory.New())
		w := enter(t, ws, "ada")
		account := w.open("ada@example.com")
		before := w.Instance()
		if _, err := w.RestoreSandboxSnapshot(t.Context(), snapshot); err != nil {
			refused(t, err, payments.KindValidation)
			require.Equal(t, before, w.Instance())
			require.Equal(t, account.ID, w.kyc(account.ID).AccountID, "what is refused changes nothing")
			return
		}
		require.NotEqual(t, before, w.Instance())
		requireWorld(t, w)
		again, err := w.GetSandboxSnapshot(t.Context())
		require.NoError(t, err)
		other := enter(t, ws, "bob")
		_, err = other.RestoreSandboxSnapshot(t.Context(), again)
		require.NoError(t, err)
		copied, err := other.GetSandboxSnapshot(t.Context())
		require.NoError(t, err)
		require.Equal(t, strip(t, again.World), strip(t, copied.World))
		if w.Now().Year() < 9000 {
			w.advance(24 * time.Hour)
			requireWorld(t, w)
		}
		w.open("new@example.com")
	})
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
	_, err = json.Marshal([]any{accounts, contacts, transfers})
	require.NoError(t, err)
}
