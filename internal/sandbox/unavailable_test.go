package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// fullDisk is a store that fails to commit while it is full. then is another request, which comes before the caller
// learns of the failed update.
type fullDisk struct {
	store.Store
	full bool
	then func()
}

func (f *fullDisk) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	err := f.Store.Update(ctx, world, func(tx store.Tx) error {
		if err := fn(tx); err != nil || !f.full {
			return err
		}
		return store.Unavailable(errors.New("disk full"))
	})
	if f.full && f.then != nil {
		f.then()
	}
	return err
}

// A failed commit does not change the clock or the instance of a world.
func TestNothingMovesThatIsNotKept(t *testing.T) {
	t.Parallel()
	kept := &fullDisk{Store: memory.New()}
	w := enter(t, worlds(kept), "ada")
	account := w.open("ada@example.com")
	before, instance := w.Now(), w.Instance()
	drop := []payments.SandboxFault{{Operation: "*", Action: payments.SandboxFaultActionDrop}}
	w.setFaults(drop...)
	w.LogRequest(instance, payments.SandboxRequest{Time: w.Now()}, "", payments.RequestContent{})

	kept.full, kept.then = true, func() {
		kept.full = false
		require.Equal(t, payments.KYCStatusPending, w.kyc(account.ID).Status, "it goes by the clock that is stored")
		kept.full = true
	}
	hour := payments.SandboxAdvance{Duration: "1h"}
	later := payments.SandboxClockSettings{Mode: payments.ClockModeManual, Now: new(before.Add(time.Hour))}
	require.ErrorIs(t, errOf(w.AdvanceSandboxClock(t.Context(), hour, keyed)), store.ErrUnavailable)
	require.ErrorIs(t, errOf(w.SetSandboxClock(t.Context(), later)), store.ErrUnavailable)
	require.ErrorIs(t, errOf(w.ResetSandbox(t.Context())), store.ErrUnavailable)
	require.Equal(t, before, w.Now())
	require.Equal(t, instance, w.Instance())
	w.LogRequest(instance, payments.SandboxRequest{Time: w.Now()}, "", payments.RequestContent{})
	require.Equal(t, drop, w.faults(), "so are the faults")

	kept.full = false
	log := must(w.ListSandboxRequests(t.Context(), payments.PageQuery{}))
	require.Len(t, log.Data, 2, "the log is still of the instance that goes on")
	must(w.AdvanceSandboxClock(t.Context(), hour, keyed))
	require.Equal(t, before.Add(time.Hour), w.Now(), "it moves once")
	require.Equal(t, payments.KYCStatusApproved, w.kyc(account.ID).Status)
}

// fullKeys is a store without room for another idempotency key.
type fullKeys struct{ store.Store }

func (f fullKeys) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	return f.Store.Update(ctx, world, func(tx store.Tx) error { return fn(store.Tx{Documents: noKeys{tx.Documents}}) })
}

type noKeys struct{ store.Documents }

func (n noKeys) Put(collection *store.Collection, document store.Document) error {
	if _, isKey := document.(*store.Key); isKey {
		return store.Unavailable(errors.New("disk full"))
	}
	return n.Documents.Put(collection, document)
}

// An advance that is not stored runs no jobs of the new time, even if other jobs were due without it.
func TestNothingHappensByAnAdvanceThatIsNotKept(t *testing.T) {
	t.Parallel()
	at := start
	w := enter(t, worlds(fullKeys{memory.New()}, func(c *sandbox.Config) {
		c.Clock, c.Machine = sandbox.ClockSetting{Mode: payments.ClockModeReal}, func() time.Time { return at }
	}), "ada")
	w.open("ada@example.com")
	at = at.Add(kycDelay / 2)
	later := w.open("bea@example.com")
	at = at.Add(kycDelay / 2) // ada is decided now, as soon as a request looks
	_, err := w.AdvanceSandboxClock(t.Context(), payments.SandboxAdvance{Duration: "1h"}, keyed)
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.Equal(t, payments.KYCStatusPending, w.kyc(later.ID).Status)
}
