package wait

import (
	"math/rand/v2"
	"time"
)

// A Backoff computes the pauses between attempts: exponential backoff with full jitter. The bound of a pause starts
// at First, doubles with each failure in a row and stays at Longest; the pause is random between zero and that bound,
// so that clients that failed together do not come back together. A Backoff has no state and may be used
// concurrently.
type Backoff struct {
	First, Longest time.Duration
	// Rand returns a number in [0, 1). Nil means the standard library's generator.
	Rand func() float64
}

// Pause returns how long to wait after that many failures in a row; the first failure is number one. A
// retryAfter is what the server asked for (RFC 9110 section 10.2.3): the pause is then never shorter. If it is a
// millisecond or more, the pause is longer by at most First; a shorter one is no pace to keep.
func (b Backoff) Pause(failures int, retryAfter time.Duration) time.Duration {
	bound := min(b.First, b.Longest)
	if retryAfter < time.Millisecond {
		for i := 1; i < failures && bound < b.Longest; i++ {
			bound = min(2*bound, b.Longest)
		}
	}
	random := b.Rand
	if random == nil {
		random = rand.Float64
	}
	return max(retryAfter, 0) + time.Duration(random()*float64(bound))
}
