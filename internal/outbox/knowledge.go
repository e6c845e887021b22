package outbox

import (
	"context"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// How long what is known may be relied on.
const (
	// keyLifetime is how long a write may be sent again with its key, counted from the first attempt that may have had
	// an effect, and how long a lookup protects together with the key: somewhat less than the 24 hours for which a
	// service keeps keys (specification heading "Idempotency").
	keyLifetime = 23 * time.Hour
	// clockSlack is how far the clock may have been set back since a write was recorded: what is left of the 24 hours.
	clockSlack = time.Hour
	// unkeyedLifetime is how long a lookup is relied on at a service that honours no keys. Another machine may pay at
	// any moment; a minute leaves time for the attempts of one call.
	unkeyedLifetime = time.Minute
	// claimLifetime is how long a claimed write may be sent without being recorded again. Resolving counts from the
	// record: a write that leaves much later would count as absent while it is on its way.
	claimLifetime = time.Minute
	// declarationLifetime is how long the service's declaration that references are unique is relied on: a service may
	// be replaced by one that keeps no such promise.
	declarationLifetime = time.Hour
)

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

// KeepsReferencesUnique reports whether the service declares that it keeps references unique. It asks at most once an
// hour, or once a minute if it declares nothing, since perhaps it just could not be asked.
func (o *Outbox) KeepsReferencesUnique(ctx context.Context) bool {
	o.unique.mu.Lock()
	defer o.unique.mu.Unlock()
	now, lifetime := o.now(), declarationLifetime
	if !o.unique.declared {
		lifetime = unkeyedLifetime
	}
	if !holds(o.unique.learned, now, lifetime) {
		o.unique.declared = o.Client.KeepsReferencesUnique(ctx)
		if o.unique.learned = now; ctx.Err() != nil {
			o.unique.learned = time.Time{} // it was not asked to the end
		}
	}
	return o.unique.declared
}

// mayRepeat reports whether a write may be sent again whose first attempt began at a time and may have had its effect:
// whether the service keeps it from having it twice.
func (o *Outbox) mayRepeat(ctx context.Context, intent journal.Intent, began time.Time) bool {
	if o.HonoursKeys(ctx, true) {
		if age := elapsed(began, o.now()); age >= -clockSlack && age < keyLifetime {
			return true
		}
	}
	return intent.Reference != "" && o.KeepsReferencesUnique(ctx)
}

// lookupHolds reports whether a lookup of a write that showed nothing may still be relied on. A key protects the write
// after the lookup only if every machine makes the same one, of the reference or, in an import, of the external id. A service that keeps references unique needs no lookup.
func (o *Outbox) lookupHolds(ctx context.Context, intent journal.Intent, looked time.Time) bool {
	lifetime := unkeyedLifetime
	hasOwnKey := intent.HasGivenKey() || intent.OneExternalID && intent.IsFoundByExternalID()
	if o.HonoursKeys(ctx, false) && !hasOwnKey {
		lifetime = keyLifetime
	}
	return holds(looked, o.now(), lifetime) || intent.Reference != "" && o.KeepsReferencesUnique(ctx)
}
