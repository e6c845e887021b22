package service_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// A write that is refused has no effect, and takes back none of what it noticed.
func TestWhatIsDueHappensThoughTheWriteIsRefused(t *testing.T) {
	t.Parallel()
	s := memory.New()
	w := newWorld(t, s, "client")
	w.approved(t)
	contact := w.save(t, "base", "USDC", "Grace")
	transfer := w.send(to(contact, "ach:USD->base:USDC", "50"))
	w.clock.Advance(settleDelay)
	requireRefused(t, errOf(w.CancelTransfer(background, transfer.ID, once)), payments.ProblemInvalidState)
	require.NoError(t, s.View(background, "client", func(tx store.Tx) error {
		require.Equal(t, payments.TransferStateFundsReceived, must(tx.Transfers().Get(transfer.ID)).State)
		events := must(tx.Events().After(store.EventQuery{Limit: 100}))
		require.Equal(t, string(payments.TransferStateFundsReceived), events[len(events)-1].To)
		return nil
	}))
}

// While the store cannot be written, a read shows what was before the jobs that are due. They happen later, at their
// own time.
func TestReadsGoOnWhileTheStoreCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := &failing{Store: memory.New()}
	w := newWorld(t, s, "client")
	w.approved(t)
	transfer := w.send(to(w.save(t, "base", "USDC", "Grace"), "ach:USD->base:USDC", "50"))
	w.clock.Advance(settleDelay)
	s.broken.Store(true)
	read := w.transfer(transfer.ID)
	require.Equal(t, transfer.State, read.State)
	require.ErrorIs(t, errOf(w.CreateAccount(background, person("grace@example.com"), once)), store.ErrUnavailable)
	s.broken.Store(false)
	w.clock.Advance(10 * settleDelay)
	read = w.transfer(transfer.ID)
	require.NotEqual(t, transfer.State, read.State)
	require.True(t, read.UpdatedAt.Before(w.clock.Now()))
}

// updateCounter counts the updates of a store, and measures the longest. Before is called at the beginning of each.
type updateCounter struct {
	store.Store
	updates int
	before  func(updates int)
	longest time.Duration
	takes   time.Duration // that an approval takes
}

func (s *updateCounter) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	s.before(s.updates)
	s.updates++
	began := time.Now()
	defer func() { s.longest = max(s.longest, time.Since(began)) }()
	return s.Store.Update(ctx, world, func(tx store.Tx) error {
		return fn(store.Tx{Documents: slowApprovals{tx.Documents, s.takes}})
	})
}

type slowApprovals struct {
	store.Documents
	takes time.Duration
}

func (s slowApprovals) Put(collection *store.Collection, document store.Document) error {
	if account, ok := document.(*store.Account); ok && account.KYCStatus == payments.KYCStatusApproved {
		<-time.After(s.takes)
	}
	return s.Documents.Put(collection, document)
}

// However many jobs are due, no transaction runs more of them than others can wait for. A request whose client goes
// away runs no more of them, and what it ran is kept.
func TestManyJobsTakeManyTransactions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // where no time passes
		const accounts, most = 1000, 100
		s := &updateCounter{Store: memory.New(), before: func(int) {}}
		w := newWorld(t, s, "client")
		for range accounts {
			w.open("ada@example.com")
		}
		w.clock.Advance(kycDelay)

		ctx, cancel := context.WithCancel(t.Context())
		s.updates, s.before = 0, func(updates int) {
			if updates == 3 {
				cancel()
			}
		}
		require.ErrorIs(t, errOf(w.ListAccounts(ctx, payments.AccountFilter{})), context.Canceled)
		var left []*store.Account
		require.NoError(t, s.View(t.Context(), "client", func(tx store.Tx) (err error) {
			left, err = tx.Accounts().List(store.Query{Limit: accounts})
			return err
		}))
		left = slices.DeleteFunc(left, func(a *store.Account) bool { return a.KYCStatus == payments.KYCStatusApproved })
		require.Len(t, left, accounts-3*most, "three approvals were committed")

		s.updates, s.before = 0, func(int) {}
		all := must(w.ListAccounts(t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}}))
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
		s := &updateCounter{Store: memory.New(), before: func(int) {}}
		w := newWorld(t, s, "client")
		for range 50 {
			w.open("ada@example.com")
		}
		w.clock.Advance(kycDelay)
		s.takes = 6 * time.Millisecond
		approved := must(w.ListAccounts(t.Context(), payments.AccountFilter{
			KYCStatuses: []payments.KYCStatus{payments.KYCStatusApproved}, PageQuery: payments.PageQuery{Limit: 100},
		}))
		require.Len(t, approved.Data, 50)
		require.LessOrEqual(t, s.longest, 30*time.Millisecond)
	})
}

// Where clocks stop, what is planned for later gets a time that RFC 3339 can still express.
func TestPlansAtTheEndOfTime(t *testing.T) {
	t.Parallel()
	kept := memory.New()
	slow := sandbox.Script{KYCDelay: time.Nanosecond, SettleDelay: 365 * 24 * time.Hour}
	w := newWorldBy(t, kept, "client", testCatalogue(), slow, time.Date(9998, time.January, 1, 0, 0, 0, 0, time.UTC))
	w.open("ada@example.com")
	w.advance(t, time.Millisecond)
	w.send(to(w.save(t, "base", "USDC", "Grace+transfer-slow"), achToBase, "10.00"))
	require.NoError(t, kept.View(background, "client", func(tx store.Tx) error {
		account := must(tx.Accounts().List(store.Query{Limit: 1}))[0]
		transfer := must(tx.Transfers().List(store.Query{Limit: 1}))[0]
		for _, at := range []time.Time{account.StepAt, transfer.StepAt} {
			require.NotZero(t, at)
			must(at.MarshalJSON())
		}
		return nil
	}))
	must(payments.Encode(must(w.ListTransfers(background, payments.TransferFilter{}))))
}
