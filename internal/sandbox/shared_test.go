package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// servers are the worlds of several servers with one store.
type servers []*sandbox.Worlds

// any returns a client's world at one of the servers.
func (s servers) any(t testing.TB, client string) *tested {
	t.Helper()
	return current(t, s[rand.IntN(len(s))], client)
}

// sharedMemory is a store in memory that several servers of a test share.
type sharedMemory struct {
	store.Store
	mu      sync.Mutex
	watched map[chan struct{}]string
}

func newSharedMemory() *sharedMemory {
	return &sharedMemory{Store: memory.New(), watched: map[chan struct{}]string{}}
}

func (s *sharedMemory) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for changed, name := range s.watched {
			if name == world {
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		}
	}()
	return s.Store.Update(ctx, world, fn)
}

func (s *sharedMemory) Watch(world string) (<-chan struct{}, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := make(chan struct{}, 1)
	s.watched[changed] = world
	return changed, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watched, changed)
	}
}

// Records sort by the order in which they were made, whichever server made them, also if the clock of one is ahead or a
// write fails in between.
func TestIdentifiersOfServersSortByTheirMaking(t *testing.T) {
	t.Parallel()
	machine := time.Now()
	var all servers
	kept := memory.New()
	for i := range 3 {
		all = append(all, worlds(t, kept, shared, func(c *sandbox.Config) {
			c.Clock = sandbox.ClockSetting{}
			c.Machine = func() time.Time { return machine.Add(time.Duration(i) * time.Millisecond) }
		}))
	}
	var made []string
	for range 60 {
		w := all.any(t, "ada")
		account := w.open("ada@example.com")
		made = append(made, account.ID)
		_, err := w.UpdateAccount(t.Context(), "acc_none", payments.MergePatch{}, once)
		refused(t, err, payments.KindNotFound)
		_, err = w.CreateSavedContact(t.Context(), payments.NewSavedContact{
			AccountID: account.ID, Label: "Ada", HolderName: "Ada L", HolderType: payments.AccountTypeIndividual, PaymentRail: "sepa", Currency: "EUR",
			IBAN: "DE89370400440532013000",
		}, once)
		require.NoError(t, err)
		machine = machine.Add(200 * time.Microsecond)
	}
	require.IsIncreasing(t, made)
}

// shares makes servers with one store, each with a machine's clock of its own.
func shares(t testing.TB, count int, change ...func(*sandbox.Config)) (all servers, kept store.Store) {
	t.Helper()
	kept = newSharedMemory()
	for range count {
		all = append(all, worlds(t, kept, append(change, shared)...))
	}
	return all, kept
}

// operations lists the operations in the request log, oldest first.
func (w *tested) operations() (all []string) {
	w.t.Helper()
	numbers := 0
	for cursor := ""; ; {
		page, err := w.ListSandboxRequests(w.t.Context(), payments.PageQuery{Cursor: cursor, Limit: 7})
		require.NoError(w.t, err)
		for _, r := range page.Data {
			require.True(w.t, numbers == 0 || r.Number == numbers-1, "%d follows %d", r.Number, numbers)
			numbers = r.Number
			all = append(all, r.Operation)
		}
		if page.NextCursor == nil {
			slices.Reverse(all)
			return all
		}
		cursor = *page.NextCursor
	}
}

// A client that sends each request to another server finds all of them in the log, in their order, whichever server it
// asks. An empty log is empty at all servers.
func TestServersHaveOneRequestLog(t *testing.T) {
	t.Parallel()
	all, _ := shares(t, 4)
	var sent []string
	for i := range 120 {
		// Servers know the order of their requests by the clock, which on Windows stands still for up to 16 milliseconds.
		for before := time.Now().Round(0); !time.Now().After(before); {
			<-time.After(time.Millisecond)
		}
		w := all.any(t, "ada")
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Operation: fmt.Sprint(i)}, "")
		sent = append(sent, fmt.Sprint(i))
		switch {
		case i%40 == 39:
			require.Equal(t, sent, all.any(t, "ada").operations())
		case i == 100:
			require.NoError(t, all.any(t, "ada").ClearSandboxRequests(t.Context()))
			sent = nil
			require.Empty(t, all.any(t, "ada").operations())
		case i == 110:
			all.any(t, "ada").advance(time.Hour)
			w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Operation: "before"}, "")
			_, err := all.any(t, "ada").ResetSandbox(t.Context())
			require.NoError(t, err)
			sent = nil
			require.Empty(t, all.any(t, "ada").operations())
		}
	}
	require.Equal(t, sent, all.any(t, "ada").operations())
	all[0].Close()
	all[2].Close()
	require.Equal(t, sent, current(t, all[1], "ada").operations())
}

// Requests that go on while the log is read are no reason for it to wait, and none of them is lost.
func TestRequestLogOfBusyServers(t *testing.T) {
	t.Parallel()
	all, _ := shares(t, 3)
	const each = 150
	var senders sync.WaitGroup
	for i := range all {
		senders.Go(func() {
			w := current(t, all[i], "ada")
			for n := range each {
				w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Operation: fmt.Sprint(i, n)}, "")
			}
		})
	}
	for range 10 {
		w := all.any(t, "ada")
		w.LogRequest(w.Instance(), payments.SandboxRequest{Time: w.Now(), Operation: "mark"}, "")
		found := all.any(t, "ada").operations()
		require.Contains(t, found, "mark")
		require.NoError(t, all.any(t, "ada").ClearSandboxRequests(t.Context()))
	}
	senders.Wait()
}

// A server that was killed takes the entries with it that it had not stored. Others do not wait for it for long.
func TestRequestLogOfAKilledServer(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	all, kept := shares(t, 2, func(c *sandbox.Config) {
		c.Machine = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	})
	w := current(t, all[0], "ada")
	require.NoError(t, kept.Update(t.Context(), "ada", func(tx store.Tx) error {
		killed := &store.UnnumberedRequests{ID: store.NewUnnumberedID(time.Now()), Waiting: true}
		return tx.Requests().Put(&store.RequestBatch{At: start, Unnumbered: killed})
	}))
	w.log(3)
	began := time.Now()
	require.Equal(t, []int{3, 2, 1}, w.logged())
	require.Greater(t, time.Since(began), time.Second, "it may live")
	passed.Store(int64(time.Minute))
	w = current(t, all[1], "ada")
	w.log(1)
	require.Equal(t, []int{4, 3, 2, 1}, w.logged())
	require.NoError(t, kept.View(t.Context(), "ada", func(tx store.Tx) error {
		batches, err := tx.Requests().List(store.Query{Limit: 10})
		for _, batch := range batches {
			require.Nil(t, batch.Unnumbered)
		}
		return err
	}))
}

// The log stays bounded if no client reads it.
func TestUnreadRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	all, kept := shares(t, 3, func(c *sandbox.Config) {
		c.Machine = func() time.Time { return start.Add(time.Duration(passed.Load())) }
	})
	for i := range 60 {
		for _, ws := range all {
			w := current(t, ws, "ada")
			w.log(50)
			ws.Close() // which stores what waits
		}
		passed.Store(int64(i) * int64(time.Second))
	}
	entries, batches := 0, 0
	require.NoError(t, kept.View(t.Context(), "ada", func(tx store.Tx) error {
		stored, err := tx.Requests().List(store.Query{Limit: 10_000})
		for _, batch := range stored {
			entries += len(batch.Requests)
		}
		batches = len(stored)
		return err
	}))
	require.LessOrEqual(t, entries, 1000+50+15*3*50)
	require.Less(t, batches, 100)
	require.Equal(t, 60*3*50, current(t, all[1], "ada").logged()[0])
}

// stuck is a store whose updates take as long as their callers wait, and ten seconds at most, as those of a database that
// does not respond.
type stuck struct{ store.Store }

func (s stuck) Update(ctx context.Context, _ string, _ func(store.Tx) error, _ ...store.Need) error {
	select {
	case <-time.After(10 * time.Second):
		return store.Unavailable(errors.New("no response"))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// While the store does not respond, no change waits for those before it one after the other.
func TestChangesFailTogetherWhileTheStoreIsStuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ws := worlds(t, stuck{memory.New()}, shared)
		began := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := ws.Of(t.Context(), "ada"); !errors.Is(err, store.ErrUnavailable) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.LessOrEqual(t, time.Since(began), 20*time.Second)
	})
}

// The limit is one of the store: a world that another server made counts, and each server has room for it.
func TestServersShareTheLimitOfWorlds(t *testing.T) {
	t.Parallel()
	all, kept := shares(t, 3, func(c *sandbox.Config) { c.Most = 2 })
	enter(t, all[0], "ada")
	enter(t, all[1], "bob")
	for _, server := range all {
		_, err := server.Of(t.Context(), "eve")
		refused(t, err, payments.KindTooManyClients)
		enter(t, server, "ada")
		enter(t, server, "bob")
	}
	later := worlds(t, kept, shared, func(c *sandbox.Config) { c.Most = 3 })
	enter(t, later, "eve")
}
