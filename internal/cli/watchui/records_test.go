package watchui

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
)

// nameRecord is a record that is a name.
type nameRecord string

func (n nameRecord) Size() int { return len(n) }

func (n nameRecord) Over(follow.Record) follow.Record { return n }

// A record that no list had is read once, and again after a pause if it cannot be read.
func TestRecordsAreRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked, named, has := map[string]int{}, map[string]string{}, map[string]string{"a": "Ada", "b": "Bob"}
		n := newRecords(Kind{Record: func(_ context.Context, id string, _ follow.Record) follow.Record {
			mu.Lock()
			defer mu.Unlock()
			asked[id]++
			if has[id] == "" {
				return nil
			}
			return nameRecord(has[id])
		}}, func(id string, record follow.Record) {
			mu.Lock()
			defer mu.Unlock()
			named[id] = string(record.(nameRecord))
		})
		now := func() (map[string]int, map[string]string) { // when nothing goes on any more
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(asked), maps.Clone(named)
		}
		add := func(id string, record follow.Record) {
			n.add(follow.Change{State: follow.State{ID: id, Record: record}}, func(follow.Record) {})
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			n.run(ctx)
		}()
		add("listed", nameRecord("Lea"))
		add("nobody", nil)
		add("a", nil)
		add("a", nil)
		asks, _ := now()
		require.Equal(t, map[string]int{"nobody": 1}, asks, "after a failure there is a pause")
		<-time.After(firstRecordPause)
		asks, _ = now()
		require.Equal(t, map[string]int{"nobody": 1, "a": 1}, asks, "one in vain does not hold up the others for long")
		<-time.After(mostRecordReads * retryRecordAfter)
		asks, names := now()
		require.Equal(t, map[string]int{"nobody": mostRecordReads, "a": 1}, asks)
		require.Equal(t, map[string]string{"a": "Ada"}, names)

		<-time.After(retryRecordAfter)
		mu.Lock()
		has["nobody"] = "Nemo"
		mu.Unlock()
		add("b", nil)
		add("nobody", nil) // changes
		asks, names = now()
		require.Equal(t, map[string]string{"a": "Ada", "b": "Bob", "nobody": "Nemo"}, names)
		require.Equal(t, map[string]int{"nobody": mostRecordReads + 1, "a": 1, "b": 1}, asks)
		cancel()
		<-ended
	})
}

// A record that a change makes incomplete is read again, and one of a subject that is gone is forgotten.
func TestRecordsAreCompleted(t *testing.T) {
	t.Parallel()
	read := make(chan string)
	kind := Kind{
		Record: func(_ context.Context, id string, known follow.Record) follow.Record {
			read <- id
			return nameRecord("deadline of " + string(known.(nameRecord)))
		},
		Lacks: func(status string, _ follow.Record) bool { return status == "incomplete" },
	}
	set := make(chan string, 1)
	r := newRecords(kind, func(id string, record follow.Record) { set <- id + " " + string(record.(nameRecord)) })
	var shown []follow.Record
	show := func(record follow.Record) { shown = append(shown, record) }
	r.add(change("a", "", "pending", follow.Waiting), show)
	first := change("a", "", "pending", follow.Waiting)
	first.Record = nameRecord("Ada")
	r.add(first, show)
	r.add(change("a", "pending", "incomplete", follow.Waiting), show)
	r.add(change("a", "incomplete", "incomplete", follow.Waiting), show)
	require.Equal(t, []follow.Record{nil, nameRecord("Ada"), nameRecord("Ada"), nameRecord("Ada")}, shown)
	require.Len(t, r.queue, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.run(ctx)
	}()
	require.Equal(t, "a", <-read)
	require.Equal(t, "a deadline of Ada", <-set)
	cancel()
	<-ended
	r.remove("a")
	require.Empty(t, r.known)
}
