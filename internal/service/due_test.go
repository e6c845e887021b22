package service_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// TestWhatIsDueHappensThoughTheWriteIsRefused: a write that is refused has no effect, and takes back none of what it noticed.
func TestWhatIsDueHappensThoughTheWriteIsRefused(t *testing.T) {
	t.Parallel()
	s := memory.New()
	w := newWorld(t, s, "client")
	w.approved(t)
	contact := w.save(t, "base", "USDC", "Grace")
	transfer := w.send(t, to(contact, "ach:USD->base:USDC", "50"))
	w.clock.Advance(settleDelay)
	_, err := w.CancelTransfer(background, transfer.ID, once)
	requireRefused(t, err, payments.KindInvalidState)
	require.NoError(t, s.View(background, "client", func(tx store.Tx) error {
		kept, err := tx.Transfers().Get(transfer.ID)
		require.NoError(t, err)
		require.Equal(t, payments.TransferStateFundsReceived, kept.State)
		events, err := tx.Events().After(store.EventQuery{Limit: 100})
		require.Equal(t, string(payments.TransferStateFundsReceived), events[len(events)-1].To)
		return err
	}))
}

// brokenStore cannot be written while broken is set.
type brokenStore struct {
	store.Store
	broken *bool
}

func (s brokenStore) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	if *s.broken {
		return store.Unavailable(errors.New("the lock is held"))
	}
	return s.Store.Update(ctx, world, fn)
}

// While the store cannot be written, a read shows what was before the jobs that are due. They happen later, at their
// own time.
func TestReadsGoOnWhileTheStoreCannotBeWritten(t *testing.T) {
	t.Parallel()
	broken := false
	w := newWorld(t, brokenStore{memory.New(), &broken}, "client")
	w.approved(t)
	transfer := w.send(t, to(w.save(t, "base", "USDC", "Grace"), "ach:USD->base:USDC", "50"))
	w.clock.Advance(settleDelay)
	broken = true
	read := w.transfer(t, transfer.ID)
	require.Equal(t, transfer.State, read.State)
	_, err := w.CreateAccount(background, person("grace@example.com"), once)
	require.ErrorIs(t, err, store.ErrUnavailable)
	broken = false
	w.clock.Advance(10 * settleDelay)
	read = w.transfer(t, transfer.ID)
	require.NotEqual(t, transfer.State, read.State)
	require.True(t, read.UpdatedAt.Before(w.clock.Now()))
}
