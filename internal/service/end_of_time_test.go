package service_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// Where clocks stop, what is planned for later gets a time that RFC 3339 can still express.
func TestPlansAtTheEndOfTime(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	clock := sandbox.NewManualClock(time.Date(9998, time.January, 1, 0, 0, 0, 0, time.UTC))
	const year = 365 * 24 * time.Hour
	slow := sandbox.Script{KYCDelay: time.Nanosecond, SettleDelay: year}
	w := &world{service.New(audited{kept, t}, "client", testCatalogue(t), clock, slow, service.NewIDs(rand.Reader)), clock}
	w.open(t, "ada@example.com")
	w.advance(t, time.Millisecond)
	w.send(t, to(w.save(t, "base", "USDC", "Grace+transfer-slow"), achToBase, "10.00"))
	require.NoError(t, kept.View(background, "client", func(tx store.Tx) error {
		accounts, err := tx.Accounts().List(store.Query{Limit: 1})
		require.NoError(t, err)
		transfers, err := tx.Transfers().List(store.Query{Limit: 1})
		require.NoError(t, err)
		for _, at := range []time.Time{accounts[0].StepAt, transfers[0].StepAt} {
			require.NotZero(t, at)
			_, err := at.MarshalJSON()
			require.NoError(t, err)
		}
		return nil
	}))
	list, err := w.ListTransfers(background, payments.TransferFilter{})
	require.NoError(t, err)
	_, err = payments.Encode(list)
	require.NoError(t, err)
}
