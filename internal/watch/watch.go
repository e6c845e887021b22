// Package watch follows things until they are as somebody wants them: by the service's feed of events, by answers that it
// holds until something changes (Prefer: wait), or by asking at intervals.
package watch

import (
	"math/rand/v2"
	"time"
)

// HoldFor is how long a service is asked to hold an answer.
const HoldFor = 30 * time.Second

// heldAtLeast tells a held answer from one that came at once.
const heldAtLeast = time.Second

// jitter spreads an interval by a fifth, so that many watchers do not ask in step.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // spreading load needs no secret randomness
}
