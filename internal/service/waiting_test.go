package service_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

// In a synctest bubble, the machine's time moves when every goroutine waits. A leftover goroutine fails the test.

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

// hold sends a request and returns when the service holds it.
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

// holdKYC waits up to a minute for an account's identity check to differ from tag.
func (w *world) holdKYC(ctx context.Context, id, tag string) <-chan outcome[service.State[payments.KYC]] {
	return hold(func() (service.State[payments.KYC], error) {
		return w.GetKYCStatus(ctx, id, service.ReadOptions{ETag: tag, Wait: time.Minute})
	})
}

// holdEvents waits up to a minute for an event.
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
		require.Zero(t, at.took, "a different state is returned at once")
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

// Due jobs that fail are tried again, but not without a pause.
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

// A refused write has no effect, but the due jobs that it ran are kept.
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

// While the store cannot be written, a read shows the state before the due jobs. They run later, as of their own time.
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

// updateCounter counts the updates of a store and measures the longest. It calls before at the start of each.
type updateCounter struct {
	store.Store
	updates int
	before  func(updates int)
	longest time.Duration
	takes   time.Duration // how long an approval takes
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

// However many jobs are due, a transaction runs only some of them, so that others need not wait long. A request whose
// client goes away runs no more jobs, and those that it ran are kept.
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
		require.Len(t, left, accounts-3*most, "three transactions were committed")

		s.updates, s.before = 0, func(int) {}
		all := must(w.ListAccounts(t.Context(), payments.AccountFilter{PageQuery: payments.PageQuery{Limit: 100}}))
		require.Equal(t, (accounts-3*most)/most, s.updates)
		for _, a := range all.Data {
			require.Equal(t, payments.KYCStatusApproved, a.KYCStatus)
			require.Equal(t, a.CreatedAt.Add(kycDelay), a.UpdatedAt, "each at its own time")
		}
	})
}

// Jobs that take long because their records are large are divided among more transactions.
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

// At the latest time of a clock, plans still have times that RFC 3339 can express.
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
