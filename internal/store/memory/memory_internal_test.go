package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/storetest"
)

var epoch = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

// TestStoreWithEqualHashes shows that nothing depends on different values having different hashes.
func TestStoreWithEqualHashes(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) store.Store {
		return newStore(func(text string) uint32 { return uint32(len(text) % 2) })
	})
}

// settledTransfer is one of a few accounts.
func settledTransfer(number int) *store.Transfer {
	return &store.Transfer{
		Transfer: &payments.Transfer{
			ID: fmt.Sprintf("trf_%08d", number), AccountID: fmt.Sprint("acc_", number%7), Reference: fmt.Sprint("invoice ", number),
			CreatedAt: epoch,
		},
		State: payments.TransferStatePaymentProcessed, UpdatedAt: epoch,
	}
}

// TestSettledRecordsArePacked, and only those that can be decoded to the same.
func TestSettledRecordsArePacked(t *testing.T) {
	t.Parallel()
	s := New()
	planned, settled, local := settledTransfer(1), settledTransfer(2), settledTransfer(3)
	planned.Plan = []store.TransferStep{{State: payments.TransferStateReturned}}
	local.UpdatedAt = epoch.In(time.FixedZone("east", 3600))
	put := func(tx store.Tx, records ...*store.Transfer) (err error) {
		for _, record := range records {
			err = errors.Join(err, tx.Transfers().Put(record))
		}
		return err
	}
	require.NoError(t, s.Update(t.Context(), "w", func(tx store.Tx) error { return put(tx, planned, settled, local) }))
	require.NoError(t, s.View(t.Context(), "w", func(tx store.Tx) error {
		for _, expected := range []*store.Transfer{planned, settled, local} {
			found, err := tx.Transfers().Get(expected.ID)
			require.NoError(t, err)
			require.Equal(t, expected, found)
			if expected == settled {
				require.NotSame(t, expected, found)
			} else {
				require.Same(t, expected, found)
			}
		}
		return nil
	}))
	require.Len(t, s.world("w").transfers.live, 2)
}

// TestDeletedRecordsLeaveNothing: what creates and deletes for a day does not grow, nor does what fails.
func TestDeletedRecordsLeaveNothing(t *testing.T) {
	t.Parallel()
	const each = 500
	s, number, slots := New(), 0, uint32(0)
	w := s.world("w")
	for round := range 20 {
		for _, fails := range []bool{true, false} {
			failure := map[bool]error{true: errors.New("it failed")}[fails]
			require.ErrorIs(t, s.Update(t.Context(), "w", func(tx store.Tx) error {
				for i := range each {
					kind := []store.JobKind{store.JobExpireKey, store.JobTransfer}[i%2]
					id := fmt.Sprint("key ", number+i)
					require.NoError(t, tx.Transfers().Put(settledTransfer(number+i)))
					require.NoError(t, tx.Keys().Put(&store.Key{ID: id, Response: []byte(`{"id":"1"}`), At: epoch}))
					require.NoError(t, tx.Schedule(store.Job{At: epoch, Kind: kind, Subject: id}))
					_, err := tx.Events().Append(&store.Event{SubjectID: id, At: epoch})
					require.NoError(t, err)
				}
				return failure
			}), failure)
		}
		require.NoError(t, s.Update(t.Context(), "w", func(tx store.Tx) error {
			for _, i := range rand.Perm(each) {
				require.NoError(t, tx.Transfers().Delete(settledTransfer(number+i).ID))
				require.NoError(t, tx.Keys().Delete(fmt.Sprint("key ", number+i)))
				require.NoError(t, tx.FinishJob())
			}
			extent, err := tx.Events().Extent()
			require.NoError(t, err)
			return tx.Events().Prune(extent.Last)
		}))
		number += each
		used := w.transfers.slots.used + w.keys.slots.used + w.jobs.used
		if round == 0 {
			slots = used
		}
		require.Equal(t, slots, used)
	}
	require.Empty(t, w.transfers.live)
	require.Empty(t, w.transfers.byID.one)
	require.Empty(t, w.transfers.all.list)
	for _, index := range w.transfers.indexes {
		require.Empty(t, index.one)
		require.Empty(t, index.many)
	}
	require.Empty(t, w.keys.byID.one)
	require.Empty(t, w.jobs.list)
	require.Empty(t, w.jobs.live)
	require.Empty(t, w.events.latest)
	require.LessOrEqual(t, len(w.events.segments), 1)
}

// TestResetReleasesAll: nothing keeps the contents that Replace replaced.
func TestResetReleasesAll(t *testing.T) {
	t.Parallel()
	s := New()
	require.NoError(t, s.Update(t.Context(), "w", func(tx store.Tx) error { return tx.Transfers().Put(settledTransfer(1)) }))
	before := weak.Make(s.world("w").contents)
	none := func(func(func(store.Tx) error) bool) {}
	require.NoError(t, s.Replace(context.Background(), "w", none, func(store.Tx) error { return nil }))
	runtime.GC()
	require.Nil(t, before.Value())
}

// TestBlocksAreASortedList compares blocks with a slice.
func TestBlocksAreASortedList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b blocks[int]
		var list []int
		at := func(item int) place { return b.find(func(other int) bool { return other >= item }) }
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			first := rapid.IntRange(0, 3000).Draw(t, "first")
			step := rapid.IntRange(1, 5).Draw(t, "step")
			removes := rapid.Bool().Draw(t, "removes")
			for n := range rapid.IntRange(1, 700).Draw(t, "count") {
				item := first + n*step
				switch i, found := slices.BinarySearch(list, item); {
				case !found && !removes:
					list = slices.Insert(list, i, item)
					b.insert(at(item), item)
				case found && removes:
					list = slices.Delete(list, i, i+1)
					b.remove(at(item))
				}
			}
			ascending := []int{}
			b.ascend(func(item int) bool { ascending = append(ascending, item); return true })
			require.Equal(t, append([]int{}, list...), ascending)
			from := rapid.IntRange(0, 4000).Draw(t, "from")
			descending := []int{}
			b.descend(at(from), func(item int) bool { descending = append(descending, item); return true })
			i, _ := slices.BinarySearch(list, from)
			expected := append([]int{}, list[:i]...)
			slices.Reverse(expected)
			require.Equal(t, expected, descending)
			for _, block := range b.list {
				require.NotEmpty(t, block)
				require.LessOrEqual(t, len(block), blockSize)
			}
		}
	})
}

// TestSmallWorldsAreSmall: a service may have the worlds of ten thousand clients with a few records each.
//
//nolint:paralleltest // Other tests would allocate memory at the same time.
func TestSmallWorldsAreSmall(t *testing.T) {
	const worlds, most = 200, 32 << 10
	s := New()
	used := func() uint64 {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	before := used()
	for world := range worlds {
		require.NoError(t, s.Update(t.Context(), fmt.Sprint("client-", world), func(tx store.Tx) error {
			require.NoError(t, tx.Worlds().Put(&store.World{}))
			require.NoError(t, tx.Clients().Put(&store.Client{ID: "client"}))
			require.NoError(t, tx.Tokens().Put(&store.Token{Hash: "token"}))
			for _, kind := range []store.JobKind{store.JobExpireKey, store.JobTransfer} {
				require.NoError(t, tx.Schedule(store.Job{At: epoch, Kind: kind, Subject: "key"}))
			}
			require.NoError(t, tx.Accounts().Put(&store.Account{Account: payments.Account{ID: "acc_1"}}))
			require.NoError(t, tx.Contacts().Put(&store.Contact{ID: "sct_1"}))
			require.NoError(t, tx.Transfers().Put(settledTransfer(1)))
			_, err := tx.Events().Append(&store.Event{SubjectID: "trf_1", At: epoch})
			require.NoError(t, err)
			return tx.Keys().Put(&store.Key{ID: "key", Response: []byte(`{"id":"1"}`), At: epoch})
		}))
	}
	require.Less(t, (used()-before)/worlds, uint64(most))
	runtime.KeepAlive(s)
}
