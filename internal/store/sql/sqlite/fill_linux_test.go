package sqlite_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// fillUp writes until the disk takes no more, and returns what was written. One refusal is not enough: the log that
// begins anew then gives room once more.
func fillUp(t testing.TB, s store.Store) (written []string) {
	const refusals = 3
	inARow := 0
	for i := range 100_000 {
		id := fmt.Sprint("before-", i)
		err := s.Update(t.Context(), world, func(tx store.Tx) error {
			return tx.Keys().Put(&store.Key{ID: id, Fingerprint: payments.Fingerprint(strings.Repeat("x", 10_000))})
		})
		if err != nil {
			requireUnavailable(t, err)
			require.NotEmpty(t, written)
			require.False(t, has(t, s, id), "what failed is not there")
			if inARow++; inARow == refusals {
				return written
			}
			continue
		}
		inARow = 0
		written = append(written, id)
	}
	t.Fatal("the disk has no end")
	return nil
}

// recoverFromFull holds a store on a disk that runs full to its promises; makeRoom gives it space again.
func recoverFromFull(t testing.TB, folder string, makeRoom func()) {
	s := openIn(t, folder)
	written := fillUp(t, s)
	for range 3 { // it stays full
		err := s.Update(t.Context(), world, func(tx store.Tx) error {
			_ = tx.Keys().Put(&store.Key{ID: "ignored", Fingerprint: payments.Fingerprint(strings.Repeat("x", 1_000_000))})
			return nil // the update fails although fn ignores the failure
		})
		requireUnavailable(t, err)
	}
	big := func() error {
		return s.Update(t.Context(), world, func(tx store.Tx) error {
			return tx.Keys().Put(&store.Key{ID: "big", Fingerprint: payments.Fingerprint(strings.Repeat("x", 1_000_000))})
		})
	}
	results := make([]error, 3)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i] = big() })
	}
	all.Wait()
	for _, err := range results {
		requireUnavailable(t, err)
	}
	for _, id := range written {
		require.True(t, has(t, s, id), "a full disk can be read")
	}
	makeRoom()
	require.NoError(t, s.Update(t.Context(), world, put("after")), "with space again it goes on")
	require.NoError(t, s.Close())

	s = openIn(t, folder)
	defer func() { require.NoError(t, s.Close()) }()
	for _, id := range append(written, "after") {
		require.True(t, has(t, s, id), "what was written survives")
	}
	require.False(t, has(t, s, "ignored"))
	require.False(t, has(t, s, "big"))
}
