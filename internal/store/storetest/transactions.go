package storetest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

func keepsRecords(t *testing.T, s store.Store) {
	later := epoch.Add(time.Hour)
	saved := payments.NewSavedContact{
		AccountID: "acc_0001", Label: "Ada", PaymentRail: "sepa", IBAN: "DE89370400440532013000",
	}
	contact := &store.Contact{NewSavedContact: saved, ID: "sct_1", At: epoch}
	key := &store.Key{ID: "createAccount k 1", Fingerprint: "abc", Response: []byte(`{"id":"acc_1"}`), At: epoch,
		ExpiresAt: epoch}
	client := &store.Client{ID: "sandbox", SecretHash: []byte{0, 1, 255}, At: epoch}
	token := &store.Token{Hash: "00ff", ClientID: "sandbox", Scopes: []string{"kyc:read"}, IssuedAt: epoch,
		ExpiresAt: epoch, KeptUntil: later}
	own := &store.World{
		Instance: "wld_1", Number: 2, Generation: 3, At: epoch,
		Clock:  store.Clock{Mode: payments.ClockModeScaled, Scale: 10, Shown: epoch, Since: epoch.Add(-time.Hour)},
		Faults: []payments.SandboxFault{{Operation: "*", Action: "status", Status: 503, Times: 2, RetryAfter: 1}},
	}
	happened := event(1, payments.EventTypeTransferCreated, "trf_0001")
	read := func(tx store.Tx) {
		requireStored(t, tx.Accounts(), account(1, payments.KYCStatusPending, "ada@example.com"))
		requireStored(t, tx.Transfers(), transfer(1, payments.TransferStateFailed, "invoice 1"))
		requireStored(t, tx.Contacts(), contact)
		requireStored(t, tx.Keys(), key)
		requireStored(t, tx.Clients(), client)
		requireStored(t, tx.Tokens(), token)
		requireStored(t, tx.Worlds(), own)
		events, err := tx.Events().After(store.EventQuery{Limit: 9})
		require.NoError(t, err)
		require.Equal(t, []*store.Event{happened}, events)
		next, err := tx.NextDue()
		require.NoError(t, err)
		require.Equal(t, key, next)
		_, err = tx.Accounts().Get("acc_0002")
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	update(t, s, world, false, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com")))
		require.NoError(t, tx.Transfers().Put(transfer(1, payments.TransferStateFailed, "invoice 1")))
		require.NoError(t, tx.Contacts().Put(contact))
		require.NoError(t, tx.Keys().Put(key))
		require.NoError(t, tx.Clients().Put(client))
		require.NoError(t, tx.Tokens().Put(token))
		require.NoError(t, tx.Worlds().Put(own))
		_, err := tx.Events().Append(happened)
		require.NoError(t, err)
		read(tx) // a transaction sees what it wrote
	})
	view(t, s, world, read)
}

// keepsTexts finds records by texts that a client may send.
func keepsTexts(t *testing.T, s store.Store) {
	texts := []string{"'; DROP TABLE documents", "a\x00b", "a\x00", "%_\\", "\u202e\U0001f600", " ",
		fmt.Sprintf("%0500d", 1)}
	for i, text := range texts {
		update(t, s, world, false, func(tx store.Tx) {
			a := account(i, payments.KYCStatusPending, "ada@example.com")
			a.ExternalID = text
			require.NoError(t, tx.Accounts().Put(a))
		})
	}
	view(t, s, world, func(tx store.Tx) {
		for i, text := range texts {
			q := store.Query{Where: map[string]string{store.ColumnExternalID: text}, Limit: 9}
			require.Equal(t, []string{fmt.Sprintf("acc_%04d", i)}, ids(t, tx.Accounts(), q), "%q", text)
		}
	})
}

// fill puts records into an empty world.
func fill(t require.TestingT, s store.Store) {
	update(t, s, world, false, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com")))
		require.NoError(t, tx.Transfers().Put(transfer(1, payments.TransferStateFailed, "one")))
		require.NoError(t, tx.Keys().Put(&store.Key{ID: "k", At: epoch}))
		require.NoError(t, tx.Worlds().Put(&store.World{Instance: "wld_1", At: epoch}))
	})
}

// contentsOf returns the accounts, transfers and keys of a world.
func contentsOf(t require.TestingT, s store.Store, name string) (all []any) {
	view(t, s, name, func(tx store.Tx) {
		q := store.Query{Limit: 100}
		accounts, err := tx.Accounts().List(q)
		require.NoError(t, err)
		transfers, err := tx.Transfers().List(q)
		require.NoError(t, err)
		keys, err := tx.Keys().List(q)
		require.NoError(t, err)
		if len(accounts)+len(transfers)+len(keys) > 0 {
			all = []any{accounts, transfers, keys}
		}
	})
	return all
}

func takesBack(t *testing.T, s store.Store) {
	fill(t, s)
	before := contentsOf(t, s, world)
	change := func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusApproved, "eve@example.com")))
		require.NoError(t, tx.Accounts().Delete("acc_0001"))
		require.NoError(t, tx.Clear())
		early := account(2, payments.KYCStatusApproved, "ada@example.com")
		early.StepAt = epoch
		require.NoError(t, tx.Accounts().Put(early))
	}
	update(t, s, world, true, change)
	require.Equal(t, before, contentsOf(t, s, world))
	require.PanicsWithValue(t, "oh", func() {
		_ = s.Update(t.Context(), world, func(tx store.Tx) error { change(tx); panic("oh") })
	})
	require.Equal(t, before, contentsOf(t, s, world))
	view(t, s, world, func(tx store.Tx) {
		email := store.Query{Where: map[string]string{store.ColumnEmail: "ada@example.com"}, Limit: 9}
		require.Equal(t, []string{"acc_0001"}, ids(t, tx.Accounts(), email))
		_, err := tx.NextDue()
		require.ErrorIs(t, err, store.ErrNotFound)
	})
}

func viewOnlyReads(t *testing.T, s store.Store) {
	fill(t, s)
	for name, write := range map[string]func(store.Tx) error{
		"put":    func(tx store.Tx) error { return tx.Keys().Put(&store.Key{ID: "k", Existing: true, At: epoch}) },
		"delete": func(tx store.Tx) error { return tx.Accounts().Delete("acc_0001") },
		"clear":  func(tx store.Tx) error { return tx.Clear() },
	} {
		require.ErrorIs(t, s.View(t.Context(), world, write), store.ErrReadOnly, name)
	}
}

func viewIsConsistent(t *testing.T, s store.Store) {
	for revision := range 20 {
		put := func(tx store.Tx, number int) {
			a := account(number, payments.KYCStatusPending, "ada@example.com")
			a.Revision = revision
			require.NoError(t, tx.Accounts().Put(a))
		}
		var views sync.WaitGroup
		update(t, s, world, false, func(tx store.Tx) {
			put(tx, 1)
			for range 4 {
				views.Go(func() {
					view(t, s, world, func(tx store.Tx) {
						rows, err := tx.Accounts().List(store.Query{Limit: 9})
						if err == nil && len(rows) > 0 && (len(rows) != 2 || rows[0].Revision != rows[1].Revision) {
							t.Error("a view saw half of an update")
						}
					})
				})
			}
			for range 1000 { // lets views run in between, if the store allows that
				runtime.Gosched()
			}
			put(tx, 2)
		})
		views.Wait()
	}
}

func worldsAreApart(t *testing.T, s store.Store) {
	fill(t, s)
	before := contentsOf(t, s, world)
	for _, other := range []string{"client-2", "", "client-1 ", "CLIENT-1", "\x01other"} {
		require.Empty(t, contentsOf(t, s, other))
		update(t, s, other, false, func(tx store.Tx) {
			require.NoError(t, tx.Clear())
			require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusRejected, "eve@example.com")))
		})
	}
	require.Equal(t, before, contentsOf(t, s, world))
}

func concurrentUpdates(t *testing.T, s store.Store) {
	const workers, rounds = 8, 25
	update(t, s, world, false, func(tx store.Tx) { require.NoError(t, tx.Accounts().Put(account(1, "", ""))) })
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := range rounds {
				if err := s.Update(context.Background(), world, func(tx store.Tx) error {
					found, err := tx.Accounts().Get("acc_0001")
					if err != nil {
						return err
					}
					counted := *found
					counted.Revision++
					if err := tx.Accounts().Put(&counted); err != nil {
						return err
					}
					return tx.Keys().Put(&store.Key{ID: fmt.Sprint(worker, " ", i), At: epoch})
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	view(t, s, world, func(tx store.Tx) {
		found, err := tx.Accounts().Get("acc_0001")
		require.NoError(t, err)
		require.Equal(t, account(1, "", "").Revision+workers*rounds, found.Revision)
		require.Len(t, ids(t, tx.Keys(), store.Query{Limit: 1000}), workers*rounds)
	})
}

func endedContext(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fn := func(store.Tx) error { t.Error("it ran"); return nil }
	require.ErrorIs(t, s.Update(ctx, world, fn), context.Canceled)
	require.ErrorIs(t, s.View(ctx, world, fn), context.Canceled)
}

// Only worlds with a World record count. A world that has one always has room.
func worldsTakeRoom(t *testing.T, s store.Store) {
	room := func(name string, most int) bool {
		has, err := s.HasRoom(t.Context(), name, most)
		require.NoError(t, err)
		return has
	}
	update(t, s, "client-2", false, func(tx store.Tx) {
		require.NoError(t, tx.Keys().Put(&store.Key{ID: "k", At: epoch}))
	})
	require.True(t, room(world, 1))
	fill(t, s)
	require.False(t, room("client-2", 1))
	require.True(t, room("client-2", 2))
	require.True(t, room(world, 1))
}
