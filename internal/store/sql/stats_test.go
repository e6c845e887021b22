package sql_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store"
)

// commits is an Observer.
type commits struct {
	mu      sync.Mutex
	number  int
	updates int
	took    time.Duration
}

func (c *commits) Committed(took time.Duration, updates int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	c.updates += updates
	c.took += took
}

func TestObserverOfCommits(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		require.NoError(t, s.Update(t.Context(), world, put("before")))
		seen := &commits{}
		s.SetObserver(seen)
		var all sync.WaitGroup
		const updates = 20
		for i := range updates {
			all.Go(func() { _ = s.Update(t.Context(), world, put(fmt.Sprint(i))) })
		}
		all.Wait()
		refused := errors.New("refused")
		require.ErrorIs(t, s.Update(t.Context(), world, func(store.Tx) error { return refused }), refused)
		require.NoError(t, s.Update(t.Context(), world, func(store.Tx) error { return nil }))
		require.True(t, has(t, s, "7"))
		require.NoError(t, s.Close())
		require.Equal(t, updates, seen.updates, "what changes nothing does not count")
		require.LessOrEqual(t, seen.number, updates)
		require.Positive(t, seen.number)
		require.Positive(t, seen.took)
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, database func(t testing.TB) opener) {
		s := database(t)(t)
		defer func() { require.NoError(t, s.Close()) }()
		require.NoError(t, s.Update(t.Context(), world, put("a")))
		require.Zero(t, s.Stats().WatchLag)
		_, stop := s.Watch(world)
		var last time.Duration
		require.Eventually(t, func() bool {
			earlier := last
			last = s.Stats().WatchLag
			return last < earlier // it grows until the versions are read again
		}, 10*time.Second, time.Millisecond)
		stop()
		require.Zero(t, s.Stats().WatchLag)
		connections := s.Stats().Connections
		if strings.HasSuffix(t.Name(), "/sqlite") {
			require.Zero(t, connections)
			return
		}
		require.Equal(t, 3, connections.Max)
		require.Positive(t, connections.InUse+connections.Idle)
	})
}
