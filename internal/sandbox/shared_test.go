package sandbox_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
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

func (s *sharedMemory) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
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

func shared(c *sandbox.Config) { c.Shared = true }

// stuck is a store whose updates take as long as their callers wait, and ten seconds at most, as those of a database that
// does not respond.
type stuck struct{ store.Store }

func (s stuck) Update(ctx context.Context, _ string, _ func(store.Tx) error) error {
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
