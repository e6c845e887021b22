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

// In these tests the machine's time is that of a synctest bubble: it moves when every goroutine waits. A goroutine that
// is left over fails the test.

// realClock is the machine's clock.
type realClock struct{}

// Now implements service.Clock.
func (realClock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// Shows implements service.Clock.
func (c realClock) Shows(store.Clock) time.Time { return c.Now() }

// Until implements service.Clock.
func (realClock) Until(t time.Time) (time.Duration, bool) { return time.Until(t), true }

// failing is a store that refuses to write once it is broken.
type failing struct {
	store.Store
	broken   atomic.Bool
	attempts atomic.Int64
}

func (f *failing) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	if f.broken.Load() {
		f.attempts.Add(1)
		return store.Unavailable(errors.New("the disk is full"))
	}
	return f.Store.Update(ctx, world, fn)
}

type outcome[T any] struct {
	value T
	err   error
	took  time.Duration
}

// hold sends a request that is held.
func hold[T any](ask func() (T, error)) <-chan outcome[T] {
	done := make(chan outcome[T], 1)
	go func() {
		start := time.Now()
		value, err := ask()
		done <- outcome[T]{value, err, time.Since(start)}
	}()
	synctest.Wait()
	return done
}

// holdKYC reads an account's identity check on condition that it has changed, waiting for a minute.
func (w *world) holdKYC(ctx context.Context, id, tag string) <-chan outcome[service.State[payments.KYC]] {
	return hold(func() (service.State[payments.KYC], error) {
		return w.GetKYCStatus(ctx, id, service.ReadOptions{ETag: tag, Wait: time.Minute})
	})
}

// holdEvents waits for an event for a minute.
func (w *world) holdEvents(ctx context.Context, filter payments.EventFilter) <-chan outcome[payments.EventPage] {
	filter.After, filter.Wait = payments.LatestEvent, time.Minute
	return hold(func() (payments.EventPage, error) { return w.ListEvents(ctx, filter) })
}

func (w *world) tag(id string) string {
	return must(w.GetKYCStatus(background, id, service.ReadOptions{})).ETag
}

func TestHeldRequestsWakeAtTheChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := empty(t)
		account, other := w.open("ada@example.com"), w.open("bob+kyc-stuck@example.com")
		tag := w.tag(account.ID)
		changes := payments.EventFilter{Types: []payments.EventType{payments.EventTypeKYCStatusChanged}}
		deletions := payments.EventFilter{Types: []payments.EventType{payments.EventTypeContactDeleted}}
		var reads []<-chan outcome[service.State[payments.KYC]]
		var feeds []<-chan outcome[payments.EventPage]
		for range 20 {
			reads = append(reads, w.holdKYC(t.Context(), account.ID, tag))
			feeds = append(feeds, w.holdEvents(t.Context(), changes), w.holdEvents(t.Context(),
				payments.EventFilter{SubjectID: account.ID}))
		}
		read := w.holdKYC(t.Context(), other.ID, w.tag(other.ID))
		feed := w.holdEvents(t.Context(), deletions)
		w.advance(t, kycDelay-time.Millisecond)
		contact := contactTo(t, "base", "USDC", "Grace")
		contact.AccountID = account.ID
		must(w.CreateSavedContact(t.Context(), contact, once))
		w.advance(t, time.Millisecond)
		for _, done := range reads {
			got := <-done
			require.NoError(t, got.err)
			require.Equal(t, payments.KYCStatusApproved, got.value.Value.Status)
			require.Zero(t, got.took, "it wakes at the change, not later")
		}
		for _, done := range feeds {
			got := <-done
			require.NoError(t, got.err)
			require.Zero(t, got.took)
			require.Len(t, got.value.Data, 1)
		}
		unchanged, silent := <-read, <-feed
		require.True(t, unchanged.value.NotModified)
		require.Equal(t, w.tag(other.ID), unchanged.value.ETag)
		require.Equal(t, time.Minute, unchanged.took, "by the machine's clock: the world's stands still")
		require.NoError(t, silent.err)
		require.Empty(t, silent.value.Data)
		require.Equal(t, time.Minute, silent.took)
		require.Equal(t, w.events(t, payments.EventFilter{After: payments.LatestEvent}).Cursor, silent.value.Cursor)

		at := <-w.holdKYC(t.Context(), account.ID, tag)
		require.False(t, at.value.NotModified)
		require.Zero(t, at.took, "what differs is answered at once")
		requireRefused(t, (<-w.holdKYC(t.Context(), "acc_none", tag)).err, payments.ProblemNotFound)
	})
}

func TestHeldRequestsEndAtShutdownWithTheirClientAndAtAReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		w := newWorld(t, s, "client")
		account := w.open("ada@example.com")
		ctx, stop := context.WithCancelCause(t.Context())
		read, feed := w.holdKYC(ctx, account.ID, w.tag(account.ID)), w.holdEvents(ctx, payments.EventFilter{})
		stop(service.ErrStopping)
		unchanged, silent := <-read, <-feed
		require.NoError(t, unchanged.err, "the present state is the answer")
		require.True(t, unchanged.value.NotModified)
		require.Zero(t, unchanged.took)
		require.NoError(t, silent.err)
		require.Empty(t, silent.value.Data)

		ctx, cancel := context.WithCancel(t.Context())
		read = w.holdKYC(ctx, account.ID, w.tag(account.ID))
		cancel()
		require.ErrorIs(t, (<-read).err, context.Canceled)

		feed = w.holdEvents(t.Context(), payments.EventFilter{})
		require.NoError(t, s.Update(t.Context(), "client", func(tx store.Tx) error {
			reset := &store.World{Instance: "wld_2", Clock: store.Clock{Shown: paytestStart}}
			return errors.Join(tx.Clear(), tx.Worlds().Put(reset))
		}))
		w.Wake()
		requireRefused(t, (<-feed).err, payments.ProblemGone)
	})
}

// What is due and cannot be done is tried again, but not without pause.
func TestFailingStoreIsNotHammered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &failing{Store: memory.New()}
		w := &world{Service: service.New(f, "client", testCatalogue(), realClock{}, script, service.NewIDs(rand.Reader))}
		account := w.open("ada@example.com")
		tag := w.tag(account.ID)
		f.broken.Store(true)
		require.NoError(t, (<-w.holdKYC(t.Context(), account.ID, tag)).err)
		require.Less(t, f.attempts.Load(), int64(100))
	})
}
