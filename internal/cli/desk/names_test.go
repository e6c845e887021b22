package desk

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Names are asked for once where no list told them, and slowly where they cannot be had.
func TestNamesAreAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked, told, has := map[string]int{}, map[string]string{}, map[string]string{"a": "Ada", "b": "Bob"}
		n := newNames(func(_ context.Context, id string) string {
			mu.Lock()
			defer mu.Unlock()
			asked[id]++
			return has[id]
		}, func(id, name string) {
			mu.Lock()
			defer mu.Unlock()
			told[id] = name
		})
		now := func() (map[string]int, map[string]string) { // when all that goes by itself has happened
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(asked), maps.Clone(told)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			n.run(ctx)
		}()
		n.met("listed", "Lea")
		n.met("nobody", "")
		n.met("a", "")
		n.met("a", "")
		asks, _ := now()
		require.Equal(t, map[string]int{"nobody": 1}, asks, "what cannot be had is no reason to ask for more")
		<-time.After(mostAsked * namePause)
		asks, names := now()
		require.Equal(t, map[string]int{"nobody": mostAsked, "a": 1}, asks)
		require.Equal(t, map[string]string{"a": "Ada"}, names)

		<-time.After(namePause)
		mu.Lock()
		has["nobody"] = "Nemo"
		mu.Unlock()
		n.met("b", "")
		n.met("nobody", "") // changes
		asks, names = now()
		require.Equal(t, map[string]string{"a": "Ada", "b": "Bob", "nobody": "Nemo"}, names)
		require.Equal(t, map[string]int{"nobody": mostAsked + 1, "a": 1, "b": 1}, asks)
		cancel()
		<-ended
	})
}
