package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// How long what is known may be relied on.
const (
	// keyLifetime is how long a write may be sent again with its key, counted from the first attempt that may have had an
	// effect, and how long a lookup protects together with the key. It is less than the 24 hours for which a service keeps
	// keys (specification heading "Idempotency").
	keyLifetime = 23 * time.Hour
	// clockSlack is how far the clock may have been set back since a write was recorded: what is left of the 24 hours.
	clockSlack = time.Hour
	// unkeyedLifetime is how long a lookup is relied on at a service that honours no keys. Another machine may pay at any
	// moment; a minute leaves time for the attempts of one call.
	unkeyedLifetime = time.Minute
	// claimLifetime is how long a claimed write may be sent without being recorded again. A person who decides that a write
	// did not happen counts from the record.
	claimLifetime = time.Minute
	// declarationLifetime is how long the service's declaration about references is relied on: a service may be replaced by
	// one that keeps no such promise, and perhaps it just could not be asked.
	declarationLifetime = 10 * time.Minute
)

// A permit is asked immediately before each attempt of one call leaves (effect.Permit). It holds what is known about
// the write.
type permit struct {
	o      *Outbox
	intent journal.Intent
	unique bool      // the service was not asked, since it keeps the reference unique
	looked time.Time // when the service was asked whether the effect is there; zero: it was not asked
	began  time.Time // when the first attempt that may have had an effect was recorded
	lost   error     // of an attempt of an earlier program

	mu       sync.Mutex
	claimed  time.Time
	attempts int  // that were allowed
	repeated bool // after an attempt of this call was lost
}

// ask returns an error if an attempt must not leave now. Lost is the error of an earlier attempt whose outcome is unknown;
// nil if there was none. To renew the claim takes time, so that everything else is checked again after it.
func (p *permit) ask(ctx context.Context, lost error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := p.isKnown(ctx, lost); err != nil {
			return err
		}
		now := p.o.Now()
		if holds(p.claimed, now, claimLifetime) {
			p.attempts++
			p.repeated = p.repeated || lost != nil && p.lost == nil
			return nil
		}
		p.intent.Repeats = p.intent.Repeats || lost != nil
		mine, err := p.o.Journal.Renew(ctx, p.intent)
		if err != nil {
			return notRecorded(ctx, err)
		}
		if !mine {
			return &expiredError{"another program has recorded the write since"}
		}
		p.claimed = now
	}
}

// isKnown returns an error if what is known about the write does not allow an attempt.
func (p *permit) isKnown(ctx context.Context, lost error) error {
	switch {
	case (lost != nil || p.lost != nil) && !p.o.sendAgainAllowed(ctx, p.intent, p.began):
		return &expiredError{"the service may not keep it from having its effect twice"}
	case p.unique && !p.o.KeepsReferencesUnique(ctx):
		return &expiredError{"the service does not declare any more that it keeps references unique"}
	case !p.looked.IsZero() && !p.o.lookupHolds(ctx, p.intent, p.looked):
		return &expiredError{"it is too long ago that the service was asked for the write"}
	}
	return nil
}

// An expiredError stops an attempt because what is known about the write is too old to rely on.
type expiredError struct{ reason string }

func (e *expiredError) Error() string { return "it was not sent, since " + e.reason }

// lookupHolds reports whether a lookup of a write that showed nothing may still be relied on. A key protects the write
// after the lookup only if every machine makes the same one, of the reference or, in an import, of the external id. A
// service that keeps references unique needs no lookup.
func (o *Outbox) lookupHolds(ctx context.Context, intent journal.Intent, looked time.Time) bool {
	lifetime := unkeyedLifetime
	if o.HonoursKeys(ctx, false) && intent.HasSharedKey() {
		lifetime = keyLifetime
	}
	return holds(looked, o.Now(), lifetime) || intent.Reference != "" && o.KeepsReferencesUnique(ctx)
}

// elapsed returns how much time has passed, by the wall clock or by the monotonic clock, whichever shows more. The
// monotonic clock stops while the machine sleeps, and the wall clock may be set back.
func elapsed(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// holds reports whether something that was learned at a time may still be relied on.
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
			o.unique.learned = time.Time{} // it was not asked to the end
		}
	}
	return o.unique.declared
}
