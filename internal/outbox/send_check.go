package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// How long payctl relies on what it knows.
const (
	// keyLifetime is how long a key protects a write, after its first attempt that may have had an effect or after a
	// lookup. It is less than the 24 hours that a service keeps keys (specification heading "Idempotency").
	keyLifetime = 23 * time.Hour
	// clockSlack is how far the clock may have been set back since a write was recorded: the rest of the 24 hours.
	clockSlack = time.Hour
	// unkeyedLifetime is how long a lookup holds at a service that honours no keys. Another machine may pay at any
	// moment. A minute is enough for the attempts of one call.
	unkeyedLifetime = time.Minute
	// claimLifetime is how long a claimed write may be sent without being recorded again. A person who resends a write
	// waits from the recorded time.
	claimLifetime = time.Minute
	// declarationLifetime is how long a service's declaration about references holds. Another service may replace it,
	// and a failed request also counts as no declaration.
	declarationLifetime = 10 * time.Minute
)

// A sendCheck is asked immediately before each attempt of one call leaves (effect.SendCheck).
type sendCheck struct {
	o       *Outbox
	pending journal.PendingWrite
	unique  bool      // there was no lookup, because the service keeps references unique
	looked  time.Time // when the effect was looked up; zero means it was not
	began   time.Time // when the first attempt that may have had an effect was recorded
	lost    error     // the error of an earlier program's attempt

	mu       sync.Mutex
	claimed  time.Time
	attempts int  // allowed attempts
	repeated bool // an attempt was allowed after one of this call was lost
}

// ask returns an error if an attempt must not leave now. Lost is the error of an earlier attempt whose outcome is
// unknown. Nil means there was none. Renewing the claim takes time, so everything is checked again afterwards.
func (p *sendCheck) ask(ctx context.Context, lost error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := p.check(ctx, lost); err != nil {
			return err
		}
		now := p.o.Now()
		if holds(p.claimed, now, claimLifetime) {
			p.attempts++
			p.repeated = p.repeated || lost != nil && p.lost == nil
			return nil
		}
		p.pending.Repeats = p.pending.Repeats || lost != nil
		mine, err := p.o.Journal.Renew(ctx, p.pending)
		if err != nil {
			return notRecorded(ctx, err)
		}
		if !mine {
			return &expiredError{"another program has recorded the write since"}
		}
		p.claimed = now
	}
}

// check returns an error if what is known about the write does not allow an attempt.
func (p *sendCheck) check(ctx context.Context, lost error) error {
	switch {
	case (lost != nil || p.lost != nil) && !p.o.sendAgainAllowed(ctx, p.pending, p.began):
		return &expiredError{"this service might execute it twice"}
	case p.unique && !p.o.KeepsReferencesUnique(ctx):
		return &expiredError{"the service no longer declares that it keeps references unique"}
	case !p.looked.IsZero() && !p.o.lookupHolds(ctx, p.pending, p.looked):
		return &expiredError{"the lookup of the write is too old"}
	}
	return nil
}

// sendAgainAllowed reports whether a write may be sent again (rule 1). Its first attempt began at a time, and may have
// had its effect.
func (o *Outbox) sendAgainAllowed(ctx context.Context, pending journal.PendingWrite, began time.Time) bool {
	if o.HonoursKeys(ctx, true) {
		if age := elapsed(began, o.Now()); age >= -clockSlack && age < keyLifetime {
			return true
		}
	}
	return pending.Reference != "" && o.KeepsReferencesUnique(ctx)
}

// An expiredError stops an attempt because what is known about the write is too old to rely on.
type expiredError struct{ reason string }

func (e *expiredError) Error() string { return "it was not sent: " + e.reason }

// lookupHolds reports whether a lookup that did not show a write still counts. A key protects the write after the
// lookup only if every machine makes the same one. A service that keeps references unique needs no lookup.
func (o *Outbox) lookupHolds(ctx context.Context, pending journal.PendingWrite, looked time.Time) bool {
	lifetime := unkeyedLifetime
	if o.HonoursKeys(ctx, false) && pending.HasSharedKey() {
		lifetime = keyLifetime
	}
	return holds(looked, o.Now(), lifetime) || pending.Reference != "" && o.KeepsReferencesUnique(ctx)
}

// elapsed returns how much time has passed, by the wall clock or by the monotonic clock, whichever shows more. The
// monotonic clock stops while the machine sleeps, and the wall clock may be set back.
func elapsed(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// holds reports whether something learned at a time still counts.
func holds(learned, now time.Time, lifetime time.Duration) bool {
	return !learned.IsZero() && elapsed(learned, now) < lifetime
}

// uniqueness remembers whether the service declares that references are unique.
type uniqueness struct {
	mu       sync.Mutex
	learned  time.Time
	declared bool
}

// KeepsReferencesUnique reports whether the service declares that it keeps references unique.
func (o *Outbox) KeepsReferencesUnique(ctx context.Context) bool {
	o.unique.mu.Lock()
	defer o.unique.mu.Unlock()
	if now := o.Now(); !holds(o.unique.learned, now, declarationLifetime) {
		o.unique.declared = o.Client.KeepsReferencesUnique(ctx)
		if o.unique.learned = now; ctx.Err() != nil {
			o.unique.learned = time.Time{} // the question was interrupted
		}
	}
	return o.unique.declared
}
