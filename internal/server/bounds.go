package server

import "time"

// Bounds limit what a client may take of the service, in time and in size. A field that is zero has its
// default.
type Bounds struct {
	// HeadTimeout is how long a connection may take to be made secure, and then to send the head of a request.
	HeadTimeout time.Duration
	// RequestTimeout is how long a client may take to send a whole request.
	RequestTimeout time.Duration
	// AnswerTimeout is how long an answer may take, from the end of the request's head until the client has accepted all.
	AnswerTimeout time.Duration
	// IdleTimeout is how long a connection is kept between two requests.
	IdleTimeout time.Duration
	// StopTimeout is how long running requests may take when the service stops.
	StopTimeout time.Duration
	// KeyWait is how long a request waits for another one with its idempotency key before it is refused.
	KeyWait time.Duration
	// Connections is the most that are open at a time; more wait until one ends.
	Connections int
	// HeadBytes is about the most bytes of a request's head.
	HeadBytes int
	// TargetBytes is the most bytes of a request's target. RFC 9110 section 4.1 recommends no fewer than 8000.
	TargetBytes int
	// BodyBytes is the most bytes of a request's body, SnapshotBytes of one that holds a snapshot.
	BodyBytes, SnapshotBytes int64
}

// WithDefaults fills in what is zero.
func (l Bounds) WithDefaults() Bounds {
	fill(&l.HeadTimeout, 10*time.Second)
	fill(&l.RequestTimeout, 30*time.Second)
	fill(&l.AnswerTimeout, maxWait+30*time.Second)
	fill(&l.IdleTimeout, 2*time.Minute)
	fill(&l.StopTimeout, 5*time.Second)
	fill(&l.KeyWait, time.Second)
	fill(&l.Connections, 1<<14)
	fill(&l.HeadBytes, 32<<10)
	fill(&l.TargetBytes, 8<<10)
	fill(&l.BodyBytes, 1<<20)
	fill(&l.SnapshotBytes, 64<<20)
	return l
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// The bounds that belong to the contract, so that they are no setting.
const (
	// maxWait is the longest that an answer is held.
	maxWait = 60 * time.Second
	// maxKeyLength is the longest idempotency key, in bytes.
	maxKeyLength = 255
	// MaxClientID is the longest client id, in bytes: each that comes is remembered.
	MaxClientID = 255
)

// What bodies may take of the memory.
const (
	// firstRoom is the most that is made room for before anything of a body has come.
	firstRoom = 64 << 10
	// largeBodies is how many bodies that are larger than Bounds.BodyBytes may be are read at a time.
	largeBodies = 4
)

// How a stream of events runs.
const (
	// heartbeat is the longest silence of a stream. Proxies cut connections that are silent for longer.
	heartbeat = 15 * time.Second
	// streamRetry is how long a client is told to wait before it opens the stream again.
	streamRetry = 2 * time.Second
	// streamWriteTimeout is how long a client may take to accept what is sent at once, but no longer than
	// Bounds.AnswerTimeout.
	streamWriteTimeout = 30 * time.Second
	// streamBatch is the most events that are sent at once.
	streamBatch = 100
)
