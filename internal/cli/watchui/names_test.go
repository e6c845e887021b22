package watchui

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A name that no list had is read once, and again after a pause if it cannot be read.
func TestNamesAreRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked, named, has := map[string]int{}, map[string]string{}, map[string]string{"a": "Ada", "b": "Bob"}
		n := newNames(func(_ context.Context, id string) string {
			mu.Lock()
			defer mu.Unlock()
			asked[id]++
			return has[id]
		}, func(id, name string) {
			mu.Lock()
			defer mu.Unlock()
			named[id] = name
		})
		now := func() (map[string]int, map[string]string) { // when nothing goes on any more
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(asked), maps.Clone(named)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			n.run(ctx)
		}()
		n.add("listed", "Lea")
		n.add("nobody", "")
		n.add("a", "")
		n.add("a", "")
		asks, _ := now()
		require.Equal(t, map[string]int{"nobody": 1}, asks, "after a failure there is a pause")
		<-time.After(mostNameReads * retryNameAfter)
		asks, names := now()
		require.Equal(t, map[string]int{"nobody": mostNameReads, "a": 1}, asks)
		require.Equal(t, map[string]string{"a": "Ada"}, names)

		<-time.After(retryNameAfter)
		mu.Lock()
		has["nobody"] = "Nemo"
		mu.Unlock()
		n.add("b", "")
		n.add("nobody", "") // changes
		asks, names = now()
		require.Equal(t, map[string]string{"a": "Ada", "b": "Bob", "nobody": "Nemo"}, names)
		require.Equal(t, map[string]int{"nobody": mostNameReads + 1, "a": 1, "b": 1}, asks)
		cancel()
		<-ended
	})
}
