package service_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// watched is a store that other processes change, as far as the test says so.
type watched struct {
	store.Store
	changed        chan struct{}
	views, updates *atomic.Int64
}

func (w watched) Update(ctx context.Context, world string, fn func(store.Tx) error, _ ...store.Need) error {
	w.updates.Add(1)
	return w.Store.Update(ctx, world, fn)
}

func (w watched) View(ctx context.Context, world string, fn func(store.Tx) error) error {
	w.views.Add(1)
	return w.Store.View(ctx, world, fn)
}

func (w watched) Watch(string) (changed <-chan struct{}, stop func()) { return w.changed, func() {} }

// sharedService returns the service of a process that shares a store with others.
func sharedService(t *testing.T, in store.Store) *world {
	s := service.New(in, "client", testCatalogue(t), realClock{}, script, service.NewIDs(rand.Reader))
	s.SetSharedStore(func(tx store.Tx) (*store.World, error) {
		record, err := tx.Worlds().Get(store.WorldID)
		if errors.Is(err, store.ErrNotFound) {
			record, err = &store.World{Instance: "wld_1"}, nil
		}
		return record, err
	})
	return &world{Service: s}
}

// Requests that wait read nothing until another process changes the world, however many they are. Then those that wait
// for the change return, and the others go on waiting.
func TestRequestsThatWaitReadNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := watched{memory.New(), make(chan struct{}, 1), new(atomic.Int64), new(atomic.Int64)}
		w, other := sharedService(t, kept), sharedService(t, kept.Store)
		account := w.open(t, "ada+kyc-stuck@example.com")
		latest, err := w.ListEvents(background, payments.EventFilter{After: payments.LatestEvent})
		require.NoError(t, err)
		const waiting = 2000
		told := make(chan int, waiting)
		for range waiting {
			go func() {
				page, err := w.ListEvents(background, payments.EventFilter{After: latest.Cursor, Wait: 2 * time.Minute})
				if err != nil {
					panic(err)
				}
				told <- len(page.Data)
			}()
		}
		unconcerned := w.hold(t.Context(), account.ID, w.tag(t, account.ID))
		synctest.Wait()

		views, updates := kept.views.Load(), kept.updates.Load()
		<-time.After(50 * time.Second)
		require.Equal(t, views, kept.views.Load())
		kept.changed <- struct{}{} // by something that none of them waits for
		synctest.Wait()
		require.Equal(t, views+1, kept.views.Load())
		require.Empty(t, told)

		other.open(t, "bob+kyc-stuck@example.com")
		kept.changed <- struct{}{}
		synctest.Wait()
		for range waiting {
			require.Equal(t, 2, <-told)
		}
		requireWaiting(t, unconcerned)
		require.Equal(t, updates, kept.updates.Load(), "nothing was written")
		require.Equal(t, 60*time.Second, (<-unconcerned).took)
	})
}

// An update wakes the requests of its own process once: what it appended is not taken for a change by another one.
func TestOwnChangesAreNoExternalOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := watched{memory.New(), make(chan struct{}, 1), new(atomic.Int64), new(atomic.Int64)}
		w := sharedService(t, kept)
		account := w.open(t, "ada+kyc-stuck@example.com")
		unconcerned := w.hold(t.Context(), account.ID, w.tag(t, account.ID))
		for range 3 {
			before := kept.views.Load()
			w.open(t, "bob+kyc-stuck@example.com")
			synctest.Wait()
			require.Equal(t, before+1, kept.views.Load(), "the scheduler's")
		}
		require.True(t, (<-unconcerned).reading.NotModified)
	})
}

// Of several processes that watch a world each runs the jobs that become due, and they have their effect once.
func TestProcessesRunDueJobsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := watched{memory.New(), make(chan struct{}), new(atomic.Int64), new(atomic.Int64)}
		var all []*world
		for range 4 {
			all = append(all, sharedService(t, kept))
		}
		account := all[0].open(t, "ada@example.com")
		var held []<-chan outcome
		for _, w := range all {
			held = append(held, w.hold(t.Context(), account.ID, w.tag(t, account.ID)))
		}
		for _, done := range held {
			got := <-done
			require.NoError(t, got.err)
			require.Equal(t, payments.KYCStatusApproved, got.reading.Value.Status)
			require.Equal(t, kycDelay, got.took)
		}
		page, err := all[0].ListEvents(background, payments.EventFilter{SubjectID: account.ID})
		require.NoError(t, err)
		require.Len(t, page.Data, 3, "created, pending, approved")
	})
}
