// Package service is the rules of the payments API: what may follow what, who may do it and what it costs. A Service is
// one client's side of it; it implements payments.Service on a store, as package client does on HTTP.
package service

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/catalogue"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// keyLifetime is how long an idempotency key is kept.
const keyLifetime = 24 * time.Hour

// A Clock tells a world's time, which may run at another pace than the machine's.
type Clock interface {
	// Now is the world's time in UTC.
	Now() time.Time
	// Shows is the world's time in UTC by the clock as it is kept. Another one may have been set, and not be kept yet.
	Shows(kept store.Clock) time.Time
	// Until is how long the machine has to wait until the clock shows t. ok is false when it will not by itself.
	Until(t time.Time) (wait time.Duration, ok bool)
}

// A Script decides what happens by itself to accounts and transfers, and when.
type Script interface {
	// KYC is what a submission of an identity check leads to, the account's first one or a later one.
	KYC(account payments.Account, first bool) []store.KYCStep
	// Transfer is what happens to a new transfer to a contact.
	Transfer(contact payments.NewSavedContact) []store.TransferStep
	// Incomplete says that an account's identity counts as incomplete although it is not.
	Incomplete(payments.Account) bool
}

// Service is the payments API of one client. It is safe for concurrent use.
type Service struct {
	store     store.Store
	world     string
	catalogue *catalogue.Catalogue
	clock     Clock
	script    Script
	ids       *IDs
	watchers  watchers
	follow    func(store.Tx) (*store.World, error) // nil: no other process has the store
	life      atomic.Pointer[life]                 // that was asked for last
	latest    []store.TransferStep                 // the plan of the latest transfer; the world's transactions, which come one by one, use it
}

var _ payments.Service = (*Service)(nil)

// New returns the service of the client whose world has that name.
func New(s store.Store, world string, c *catalogue.Catalogue, clock Clock, script Script, ids *IDs) *Service {
	return &Service{store: s, world: world, catalogue: c, clock: clock, script: script, ids: ids}
}

// Share says that other processes have the store too. Follow takes over what they made of the clock and of the world's life, and
// returns the world as the transaction sees it. It is called at the begin of each transaction, and again and again while anybody
// waits. Share is called before anything else.
func (s *Service) Share(follow func(store.Tx) (*store.World, error)) { s.follow = follow }

// work is a transaction at a moment. It remembers who changed, so that those who wait learn of it once it is committed.
type work struct {
	store.Tx
	now     time.Time
	world   *store.World // as it was at the begin
	changed []string
	told    bool // an event was added to the log
}

// lastMoment is the last one that RFC 3339 can tell, in whole days. No clock comes so far.
var lastMoment = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// after is the moment that long from now, to the millisecond, in which the service tells time.
func (w *work) after(d time.Duration) time.Time {
	at := w.now.Add(d).Truncate(time.Millisecond)
	if at.After(lastMoment) {
		return lastMoment
	}
	return at
}

// update runs fn in a transaction, after everything that is due has happened, which it does whatever becomes of fn.
func (s *Service) update(ctx context.Context, fn func(*work) error) error {
	undone, err := s.attempt(ctx, fn)
	if undone {
		_, _ = s.attempt(ctx, func(*work) error { return nil }) // the error to tell is the first
	}
	return err
}

// attempt runs fn in a transaction, after everything that is due has happened. Undone says that this has been taken back, since
// fn failed.
func (s *Service) attempt(ctx context.Context, fn func(*work) error) (undone bool, err error) {
	w := &work{}
	err = s.store.Update(ctx, s.world, func(tx store.Tx) error {
		if err := s.begin(ctx, w, tx); err != nil {
			return err
		}
		due, err := isDue(tx, w.now)
		if err != nil {
			return err
		}
		if due {
			if err := s.catchUp(w); err != nil {
				return err
			}
		}
		err = fn(w)
		undone = due && err != nil
		return err
	})
	if err == nil && len(w.changed) > 0 { // the pacer, which updates too, must not wake itself for nothing
		s.watchers.wake(w.changed)
	}
	return undone, err
}

// begin is what each transaction begins with. It goes by the clock, and notes the life of the world, that the transaction sees:
// what is known of them outside may be ahead of that, or behind.
func (s *Service) begin(ctx context.Context, w *work, tx store.Tx) (err error) {
	if s.follow != nil {
		w.world, err = s.follow(tx)
	} else {
		w.world, err = tx.Worlds().Get(store.WorldID)
	}
	switch {
	case err == nil:
		w.now = s.clock.Shows(w.world.Clock)
	case errors.Is(err, store.ErrNotFound):
		w.world, w.now = &store.World{}, s.clock.Now() // one that was never entered has one life
	default:
		return err
	}
	payments.NoteLife(ctx, w.world.Instance)
	w.Tx = tx
	return nil
}

// view runs fn in a transaction that only reads, after everything that is due has happened.
func (s *Service) view(ctx context.Context, fn func(*work) error) error {
	for {
		behind := false
		err := s.store.View(ctx, s.world, func(tx store.Tx) error {
			w := &work{}
			err := s.begin(ctx, w, tx)
			if err != nil {
				return err
			}
			if behind, err = isDue(tx, w.now); err != nil || behind {
				return err
			}
			return fn(w)
		})
		if err != nil || !behind {
			return err
		}
		if err := s.CatchUp(ctx); err != nil {
			return err
		}
	}
}

// CatchUp makes everything happen that is due.
func (s *Service) CatchUp(ctx context.Context) error {
	return s.update(ctx, func(*work) error { return nil })
}

// get reads a record and turns its absence into a refusal.
func get[T any](table store.Table[T], what, id string) (*T, error) {
	record, err := table.Get(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, payments.NotFound(what, id)
	}
	return record, err
}
