// Package follow follows the statuses of many subjects, such as identity checks or transfers, and reports each change
// once and in order. It uses the service's event feed, as a stream or else by long poll, and polls a service that has
// no feed.
//
// A watch ends in one of these ways:
//
//   - The goal is reached: Goal.Judge returns Reached for a status; tracker.allDecided is true once no subject is
//     waited for.
//   - A subject fails: Goal.Judge returns Failed for a status from which the goal is impossible, and
//     tracker.notFound does so for a deleted subject. The others are still followed, unless Engine.FailFast is set:
//     then tracker.record or tracker.notFound ends the watch.
//   - It times out, is cancelled, or its output is closed: the context of Engine.Run ends, and Run returns its
//     cause. The command sets these causes: watchui.Options.Run that of --timeout, the program's signals that of a
//     cancellation, and ui.Streams.WhileRead that of an output that is no longer read.
//   - The service refuses: health.temporary decides which errors are waited out. Others end the watch, except those
//     that only tell that the service has no event feed: then it is polled.
package follow

import (
	"math/rand/v2"
	"time"
)

// HoldFor is how long a long poll asks the service to wait for the next event.
const HoldFor = 30 * time.Second

// heldAtLeast is the least time of a long poll that the service held; it answers others at once.
const heldAtLeast = time.Second

// spread varies an interval by a fifth, so that many clients do not send their requests in step.
func spread(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // spreading load needs no secret randomness
}
