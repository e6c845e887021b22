// Package service has the rules of the payments API: legal transitions, checks, prices and planned steps. A Service is
// the API of one client. The server calls it as commands call payments.Service.
package service

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/store"
)

// A Clock is the clock of a world. It may run at another pace than the machine's.
type Clock interface {
	// Now returns the world's time in UTC.
	Now() time.Time
	// Shows returns the world's time in UTC by a stored clock. The current one may have changed and not be stored yet.
	Shows(stored store.Clock) time.Time
	// Until returns how long the machine must wait until the clock shows t. ok is false if a standing clock never does.
	Until(t time.Time) (wait time.Duration, ok bool)
}

// A Script decides the planned steps of accounts and transfers.
type Script interface {
	// KYC returns the steps after the submission of an identity check. First means that it is the account's first.
	KYC(account payments.Account, first bool) []store.KYCStep
	// Transfer returns the steps of a new transfer to a contact.
	Transfer(contact payments.NewSavedContact) []store.TransferStep
	// Incomplete reports whether the identity check of a complete new account still asks for more.
	Incomplete(payments.Account) bool
}

// Service is the payments API of one client. It is safe for concurrent use.
type Service struct {
	store      store.Store
	world      string
	catalogue  *routes.Catalogue
	clock      Clock
	script     Script
	ids        *IDs
	waiters    waiters
	loadRecord func(store.Tx) (*store.World, error) // nil if no other process uses the store

	duplicateReferences bool // several transfers may have one reference

	instance atomic.Pointer[instanceName] // the last one used
}

var _ payments.Lists = (*Service)(nil)

// New returns the service of a client. World is the name of its world in the store.
func New(s store.Store, world string, c *routes.Catalogue, clock Clock, script Script, ids *IDs) *Service {
	return &Service{store: s, world: world, catalogue: c, clock: clock, script: script, ids: ids}
}

// SetSharedStore tells the service, before its first use, that other processes use the store too. Function loadRecord
// takes over their changes of the world's clock and instance, and returns the world's record. It is called at the
// beginning of each transaction, and repeatedly while a request waits.
func (s *Service) SetSharedStore(loadRecord func(store.Tx) (*store.World, error)) {
	s.loadRecord = loadRecord
}

// AllowDuplicateReferences allows several transfers with one reference. Call it before the service's first use.
func (s *Service) AllowDuplicateReferences() { s.duplicateReferences = true }

// SelectRoutes returns a payments.TransferInfo in JSON.
func (s *Service) SelectRoutes(_ context.Context, selection payments.RouteSelection) (jsontext.Value, error) {
	return s.catalogue.Select(selection), nil
}

// work is a transaction at one time of the world's clock.
type work struct {
	store.Tx
	now           time.Time
	world         *store.World  // as the transaction found it
	preconditions Preconditions // of the request
	tag           string        // the entity tag of the resource that a write returns, or empty
}

// LastTime is the last time that RFC 3339 can express, in whole days. No clock reaches it.
var LastTime = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

// after returns the time that is d after now, in whole milliseconds, the unit of all times of the service.
func (w *work) after(d time.Duration) time.Time {
	at := w.now.Add(d).Truncate(time.Millisecond)
	if at.After(LastTime) {
		return LastTime
	}
	return at
}

// update runs the due jobs and then fn, in one transaction unless there are many jobs. The jobs also run if fn fails.
func (s *Service) update(ctx context.Context, fn func(*work) error) error {
	for {
		if more, err := s.updateOnce(ctx, fn); err != nil || !more {
			return err
		}
	}
}

// updateOnce runs some due jobs in a transaction, and also fn if those were all. Otherwise more is true.
func (s *Service) updateOnce(ctx context.Context, fn func(*work) error) (more bool, err error) {
	w, undone := &work{}, false
	err = s.store.Update(ctx, s.world, func(tx store.Tx) error {
		if err := s.begin(ctx, w, tx); err != nil {
			return err
		}
		_, due, err := nextDueJob(tx, w.now)
		if err == nil && due {
			more, err = s.runDueJobs(ctx, w)
		}
		if err == nil && !more {
			err = fn(w)
			undone = due && err != nil
		}
		return err
	})
	if err == nil {
		s.Wake()
	}
	if undone {
		_ = s.RunDueJobs(ctx) // the caller gets the first error
	}
	return more, err
}

// begin loads the world's record and sets w.now from its stored clock. Copies in memory may be newer or older.
func (s *Service) begin(ctx context.Context, w *work, tx store.Tx) (err error) {
	if s.loadRecord != nil {
		w.world, err = s.loadRecord(tx)
	} else {
		w.world, err = tx.Worlds().Get(store.WorldID)
	}
	switch {
	case err == nil:
		w.now = s.clock.Shows(w.world.Clock)
	case errors.Is(err, store.ErrNotFound):
		w.world, w.now = &store.World{}, s.clock.Now() // a world without a record has one instance
	default:
		return err
	}
	payments.NoteEpoch(ctx, w.world.Instance)
	w.preconditions, _ = ctx.Value(preconditionsKey{}).(Preconditions)
	w.Tx = tx
	return nil
}

// view runs fn in a reading transaction, after the due jobs. While the store cannot be written, it reads the state just
// before the first due job.
func (s *Service) view(ctx context.Context, fn func(*work) error) error {
	err := s.viewAfterJobs(ctx, false, fn)
	if errors.Is(err, store.ErrUnavailable) {
		err = s.viewAfterJobs(ctx, true, fn)
	}
	return err
}

// viewAfterJobs runs fn in a reading transaction, after the due jobs or before them.
func (s *Service) viewAfterJobs(ctx context.Context, before bool, fn func(*work) error) error {
	for {
		due := false
		err := s.store.View(ctx, s.world, func(tx store.Tx) error {
			w := &work{}
			err := s.begin(ctx, w, tx)
			if err != nil {
				return err
			}
			job, found, err := nextDueJob(tx, w.now)
			if due = found && !before; err != nil || due {
				return err
			}
			if before && found {
				w.now = job.DueAt().Add(-time.Nanosecond)
			}
			return fn(w)
		})
		if err != nil || !due {
			return err
		}
		if err := s.RunDueJobs(ctx); err != nil {
			return err
		}
	}
}

// view runs fn as Service.view does, and returns its value.
func view[T any](ctx context.Context, s *Service, fn func(*work) (T, error)) (value T, err error) {
	err = s.view(ctx, func(w *work) error {
		value, err = fn(w)
		return err
	})
	return value, err
}

// get returns a record. The error is a problem of kind not-found if there is none.
func get[T any](table store.Table[T], what, id string) (*T, error) {
	record, err := table.Get(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, payments.NotFound(what, id)
	}
	return record, err
}

// instanceNameLength is the length of the short name of a world's instance, in event cursors and entity tags.
const instanceNameLength = 16

// An instanceName is an instance id with its short name: 80 bits of its hash in base 32.
type instanceName struct{ id, name string }

// instanceName returns the short name of the world's instance. It keeps the last one.
func (s *Service) instanceName(w *work) string {
	known := s.instance.Load()
	if known == nil || known.id != w.world.Instance {
		sum := sha256.Sum256([]byte(w.world.Instance))
		name := strings.ToLower(base32.HexEncoding.EncodeToString(sum[:instanceNameLength*5/8]))
		known = &instanceName{w.world.Instance, name}
		s.instance.Store(known)
	}
	return known.name
}

// entityTag returns the entity tag of a resource at a revision of one or more numbers (RFC 9110 section 8.8.3). It
// includes the world's instance, because the same revision in another instance may be another state.
func (s *Service) entityTag(w *work, revision ...int) string {
	tag := `"` + s.instanceName(w)
	for _, number := range revision {
		tag += "-" + strconv.Itoa(number)
	}
	return tag + `"`
}
