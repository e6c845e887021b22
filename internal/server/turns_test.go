package server

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// However many requests of a client wait for their turn, another client has to wait for no more than a few of them. Requests
// whose clients go away leave nothing behind.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(2, 1)
		ctx, gone := context.WithCancel(t.Context())
		ends := map[string]chan func(){"ada": make(chan func(), 100), "bob": make(chan func(), 100), "eve": make(chan func(), 100)}
		ask := func(client string) {
			go func() {
				if end, err := turns.acquire(ctx, client); err == nil {
					ends[client] <- end
				}
			}()
			synctest.Wait()
		}
		for range 50 {
			ask("ada")
		}
		require.Len(t, ends["ada"], 1)
		ask("bob")
		require.Len(t, ends["bob"], 1, "before the others of ada")
		ask("eve")
		require.Empty(t, ends["eve"], "as many have a turn as may")
		(<-ends["ada"])()
		synctest.Wait()
		require.Len(t, ends["eve"], 1)
		require.Empty(t, ends["ada"])
		(<-ends["bob"])()
		synctest.Wait()
		require.Len(t, ends["ada"], 1)
		gone()
		synctest.Wait()
		(<-ends["ada"])()
		(<-ends["eve"])()
		synctest.Wait()
		require.Empty(t, turns.byClient)
		require.Empty(t, turns.all)
	})
}
