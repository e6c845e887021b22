package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/mem"
)

// TestWhatIsDueHappensThoughTheWriteIsRefused: a write that is refused has no effect, and takes back none of what it noticed.
func TestWhatIsDueHappensThoughTheWriteIsRefused(t *testing.T) {
	t.Parallel()
	s := mem.New()
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
