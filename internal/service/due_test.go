package service_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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

// updateCounter counts the updates of a store, and the jobs that the largest of them finished. Before is called at the
// beginning of each; it may be nil.
type updateCounter struct {
	store.Store
	updates, mostJobs int
	before            func()
	takes             time.Duration // that a job takes
}

func (s *updateCounter) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	if s.before != nil {
		s.before()
	}
	s.updates++
	counting := &jobCounter{takes: s.takes}
	err := s.Store.Update(ctx, world, func(tx store.Tx) error {
		counting.Documents = tx.Documents
		return fn(store.Tx{Documents: counting})
	})
	s.mostJobs = max(s.mostJobs, counting.jobs)
	return err
}

// jobCounter counts the jobs that are run, which alone approve accounts.
type jobCounter struct {
	store.Documents
	jobs  int
	takes time.Duration
}

func (c *jobCounter) Put(kind *store.Kind, document store.Document) error {
	if account, ok := document.(*store.Account); ok && account.KYCStatus == payments.KYCStatusApproved {
		c.jobs++
		<-time.After(c.takes)
	}
	return c.Documents.Put(kind, document)
}

// However many jobs are due, no transaction runs more of them than others can wait for. A request whose client goes away
// runs no more of them, and what it ran is kept.
func TestManyJobsTakeManyTransactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // where no time passes
		const accounts, most = 1000, 100
		s := &updateCounter{Store: memory.New()}
		w := newWorld(t, s, "client")
		for range accounts {
			w.open(t, "ada@example.com")
		}
		w.clock.Advance(kycDelay)

		ctx, cancel := context.WithCancel(t.Context())
		s.updates = 0
		s.before = func() {
			if s.updates == 3 {
				cancel()
			}
		}
		approved := payments.AccountFilter{KYCStatuses: []payments.KYCStatus{payments.KYCStatusApproved}}
		_, err := w.ListAccounts(ctx, approved)
		require.ErrorIs(t, err, context.Canceled)
		var left []*store.Account
		require.NoError(t, s.View(t.Context(), "client", func(tx store.Tx) (err error) {
			left, err = tx.Accounts().List(store.Query{Limit: accounts})
			return err
		}))
		expiring := slices.DeleteFunc(left, func(a *store.Account) bool { return a.StepAt.Before(w.clock.Now().Add(time.Hour)) })
		require.Equal(t, 3*most, len(expiring), "approvals that were committed")

		s.before, s.updates = nil, 0
		all, err := w.ListAccounts(t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}})
		require.NoError(t, err)
		require.Equal(t, payments.KYCStatusApproved, all.Data[0].KYCStatus)
		require.Equal(t, most, s.mostJobs)
		require.Equal(t, (accounts-3*most)/most, s.updates)
		for _, a := range all.Data {
			require.Equal(t, payments.KYCStatusApproved, a.KYCStatus)
			require.Equal(t, a.CreatedAt.Add(kycDelay), a.UpdatedAt, "each at its own time")
		}
	})
}

// Jobs that take long, since their records are large, are divided among more transactions.
func TestLongJobsTakeMoreTransactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &updateCounter{Store: memory.New()}
		w := newWorld(t, s, "client")
		for range 50 {
			w.open(t, "ada@example.com")
		}
		w.clock.Advance(kycDelay)
		s.takes = 6 * time.Millisecond
		approved, err := w.ListAccounts(t.Context(), payments.AccountFilter{
			KYCStatuses: []payments.KYCStatus{payments.KYCStatusApproved}, PageQuery: payments.PageQuery{Limit: 100},
		})
		require.NoError(t, err)
		require.Len(t, approved.Data, 50)
		require.LessOrEqual(t, time.Duration(s.mostJobs)*s.takes, 30*time.Millisecond)
	})
}
