package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// While another process holds the lock and does not go on, updates do not wait one after the other, however many there
// are, and views go on. When the lock is free, updates go on too.
func TestLockThatIsHeldForLong(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openIn(t, folder)
	require.NoError(t, s.Update(t.Context(), world, put("k")))
	db, err := sql.Open("sqlite", filepath.Join(folder, "payctl.db"))
	require.NoError(t, err)
	other, err := db.Conn(t.Context())
	require.NoError(t, err)
	for range 2 {
		_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		require.NoError(t, err)
		for round := range 2 {
			began := time.Now()
			requireUnavailable(t, s.Update(t.Context(), world, put("alone")))
			alone := time.Since(began)
			began = time.Now()
			var all sync.WaitGroup
			const many = 20
			for i := range many {
				all.Go(func() { requireUnavailable(t, s.Update(t.Context(), world, put(fmt.Sprint(round, i)))) })
			}
			require.True(t, has(t, s, "k"))
			all.Wait()
			require.Less(t, time.Since(began), many/2*alone)
			require.NoError(t, openIn(t, folder).Close(), "a process may join")
		}
		_, err = other.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
		require.NoError(t, s.Update(t.Context(), world, put("k")))
	}
	require.NoError(t, other.Close())
	require.NoError(t, db.Close())
	require.False(t, has(t, s, "0 0"))
	require.NoError(t, s.Close())
}

// Processes that go on are waited for, even if there are many.
func TestLockThatOthersHoldInTurn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const stores, updates = 4, 60
	var all sync.WaitGroup
	for i := range stores {
		s := openIn(t, folder)
		defer func() { require.NoError(t, s.Close()) }()
		all.Go(func() {
			for n := range updates {
				if err := s.Update(t.Context(), world, func(tx store.Tx) error {
					<-time.After(5 * time.Millisecond) // the lock is hardly ever free
					return put(fmt.Sprint(i, n))(tx)
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func requireUnavailable(t testing.TB, err error) {
	require.ErrorIs(t, err, store.ErrUnavailable)
	var refusal *payments.ProblemError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, payments.KindUnavailable, refusal.Problem.Kind())
	require.NotZero(t, refusal.RetryAfter)
	require.NotContains(t, refusal.Detail, "sqlite", "the cause is not for clients")
}
