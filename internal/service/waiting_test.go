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

type outcome struct {
	reading payments.ReadResult[payments.KYC]
	err     error
	took    time.Duration
}

// hold reads an account's identity check on condition that it has changed, waiting for a minute.
func (w *world) hold(ctx context.Context, id, tag string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		start := time.Now()
		reading, err := w.GetKYCStatus(ctx, id, payments.ReadOptions{ETag: tag, Wait: time.Minute})
		done <- outcome{reading, err, time.Since(start)}
	}()
	synctest.Wait()
	return done
}

func (w *world) tag(t *testing.T, id string) string {
	t.Helper()
	reading, err := w.GetKYCStatus(background, id, payments.ReadOptions{})
	require.NoError(t, err)
	return reading.ETag
}

func requireWaiting(t *testing.T, done <-chan outcome) {
	t.Helper()
	select {
	case got := <-done:
		require.Fail(t, "the answer was not held", "%+v", got)
	default:
	}
}

func TestHeldReadWakesAtTheChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := empty(t)
		account := w.open(t, "ada@example.com")
		var all []<-chan outcome
		for range 64 {
			all = append(all, w.hold(t.Context(), account.ID, w.tag(t, account.ID)))
		}
		other := w.open(t, "bob+kyc-stuck@example.com")
		unconcerned := w.hold(t.Context(), other.ID, w.tag(t, other.ID))
		w.advance(t, kycDelay-time.Millisecond)
		synctest.Wait()
		for _, done := range all {
			requireWaiting(t, done)
		}
		w.advance(t, time.Millisecond)
		synctest.Wait()
		for _, done := range all {
			got := <-done
			require.NoError(t, got.err)
			require.Equal(t, payments.KYCStatusApproved, got.reading.Value.Status)
			require.Zero(t, got.took, "it wakes at the change, not later")
		}
		requireWaiting(t, unconcerned)
		got := <-unconcerned
		require.True(t, got.reading.NotModified)
		require.Equal(t, time.Minute, got.took)
	})
}

func TestHeldReadEndsUnchanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := empty(t)
		account := w.open(t, "ada@example.com")
		tag := w.tag(t, account.ID)
		got := <-w.hold(t.Context(), account.ID, tag)
		require.NoError(t, got.err)
		require.True(t, got.reading.NotModified)
		require.Equal(t, tag, got.reading.ETag)
		require.Equal(t, time.Minute, got.took, "by the machine's clock: the world's stands still")
		got = <-w.hold(t.Context(), account.ID, `"0"`)
		require.False(t, got.reading.NotModified)
		require.Zero(t, got.took, "what differs is answered at once")
		got = <-w.hold(t.Context(), "acc_none", `"1"`)
		requireRefused(t, got.err, payments.KindNotFound)
	})
}

func TestHeldReadOfATransfer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{Service: service.New(memory.New(), "client", testCatalogue(t), realClock{}, script, service.NewIDs(rand.Reader))}
		w.open(t, "ada@example.com")
		<-time.After(kycDelay)
		transfer := w.send(t, to(w.save(t, "base", "USDC", "Grace+transfer-returned"), achToBase, "50.00"))
		var states []payments.TransferState
		tag := ""
		for {
			reading, err := w.GetTransfer(t.Context(), transfer.ID, payments.ReadOptions{ETag: tag, Wait: time.Minute})
			require.NoError(t, err)
			if reading.NotModified {
				break
			}
			tag = reading.ETag
			states = append(states, reading.Value.State)
		}
		require.Equal(t, []payments.TransferState{payments.TransferStateAwaitingFunds, payments.TransferStateFundsReceived,
			payments.TransferStatePaymentSubmitted, payments.TransferStatePaymentProcessed, payments.TransferStateReturned, payments.TransferStateRefunded},
			states, "a watcher misses no state")
	})
}

func TestHeldReadEndsAtShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := empty(t)
		account := w.open(t, "ada@example.com")
		ctx, stop := context.WithCancelCause(t.Context())
		done := w.hold(ctx, account.ID, w.tag(t, account.ID))
		requireWaiting(t, done)
		stop(service.ErrStopping)
		got := <-done
		require.NoError(t, got.err, "the present state is the answer")
		require.True(t, got.reading.NotModified)
		require.Zero(t, got.took)
	})
}

func TestHeldReadEndsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := empty(t)
		account := w.open(t, "ada@example.com")
		ctx, cancel := context.WithCancel(t.Context())
		done := w.hold(ctx, account.ID, w.tag(t, account.ID))
		cancel()
		require.ErrorIs(t, (<-done).err, context.Canceled)
	})
}

// failing is a store that refuses to write once it is broken.
type failing struct {
	store.Store
	broken   atomic.Bool
	attempts atomic.Int64
}

func (f *failing) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	if f.broken.Load() {
		f.attempts.Add(1)
		return errors.New("the disk is full")
	}
	return f.Store.Update(ctx, world, fn)
}

// What is due and cannot be done is tried again, but not without pause.
func TestFailingStoreIsNotHammered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &failing{Store: memory.New()}
		w := &world{Service: service.New(f, "client", testCatalogue(t), realClock{}, script, service.NewIDs(rand.Reader))}
		account := w.open(t, "ada@example.com")
		tag := w.tag(t, account.ID)
		f.broken.Store(true)
		done := w.hold(t.Context(), account.ID, tag)
		got := <-done
		require.NoError(t, got.err)
		require.Less(t, f.attempts.Load(), int64(100))
	})
}
