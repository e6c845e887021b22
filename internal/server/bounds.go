package server

import (
	"cmp"
	"time"
)

// Bounds limit what a client may use of the service, in time and in size. A field that is zero has its default.
type Bounds struct {
	// HeadTimeout is how long the TLS handshake of a connection may take, and then the head of a request.
	HeadTimeout time.Duration
	// RequestTimeout is how long a client may take to send a whole request.
	RequestTimeout time.Duration
	// AnswerTimeout is how long a response may take, from the end of the request's head until the client has accepted
	// all.
	AnswerTimeout time.Duration
	// IdleTimeout is how long a connection is kept between two requests.
	IdleTimeout time.Duration
	// StopTimeout is how long running requests may take when the service stops.
	StopTimeout time.Duration
	// KeyWait is how long a request waits for another one with its idempotency key before it is refused.
	KeyWait time.Duration
	// Connections is the most connections that are open at a time; more wait until one ends.
	Connections int
	// HeadBytes is the most bytes of a request's head, to which net/http adds a few kilobytes.
	HeadBytes int
	// TargetBytes is the most bytes of a request's target. RFC 9110 section 4.1 recommends at least 8000.
	TargetBytes int
	// BodyBytes is the most bytes of a request's body, SnapshotBytes of one that holds a snapshot.
	BodyBytes, SnapshotBytes int64
	// HeldBytes is the most bytes of memory that all requests hold that have not ended, ClientHeldBytes those of one
	// client: bodies, large responses, and what a delayed request takes. More requests are refused.
	HeldBytes, ClientHeldBytes int64
}

// WithDefaults returns the bounds with a default for every field that is zero.
func (b Bounds) WithDefaults() Bounds {
	setDefault(&b.HeadTimeout, 10*time.Second)
	setDefault(&b.RequestTimeout, 30*time.Second)
	setDefault(&b.AnswerTimeout, maxWait+30*time.Second)
	setDefault(&b.IdleTimeout, 2*time.Minute)
	setDefault(&b.StopTimeout, 5*time.Second)
	setDefault(&b.KeyWait, time.Second)
	setDefault(&b.Connections, 1<<14)
	setDefault(&b.HeadBytes, 32<<10)
	setDefault(&b.TargetBytes, 8<<10)
	setDefault(&b.BodyBytes, 1<<20)
	setDefault(&b.SnapshotBytes, 64<<20)
	setDefault(&b.HeldBytes, 256<<20)
	setDefault(&b.ClientHeldBytes, 128<<20) // a snapshot, and as much besides
	return b
}

func setDefault[T comparable](field *T, value T) { *field = cmp.Or(*field, value) }
