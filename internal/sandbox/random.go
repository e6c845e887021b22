package sandbox

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
)

// What randomness is drawn for. Each purpose has a stream of its own, so that one never shifts another.
const (
	purposeIDs      = "identifiers"
	purposeInstance = "instance"
	purposeRequests = "requests"
	purposeFaults   = "faults"
)

// random is a source of randomness for one purpose of one world. With a seed it is a stream that depends on nothing but
// the seed, the client, the purpose and a number: not on other worlds, nor on the order in which worlds are entered.
func (ws *Worlds) random(client, purpose string, number int) io.Reader {
	if ws.config.Seed == nil {
		return unforeseen()
	}
	key := sha256.Sum256(fmt.Appendf(nil, "payctl sandbox\n%d\n%q\n%s\n%d", *ws.config.Seed, client, purpose, number))
	return rand.NewChaCha8(key)
}

// unforeseen is a source of randomness that nobody can foresee. The machine's own, which it grows from, is slower.
func unforeseen() io.Reader {
	var key [32]byte
	if _, err := cryptorand.Read(key[:]); err != nil {
		panic(err) // it never fails; see crypto/rand.Read
	}
	return rand.NewChaCha8(key)
}

// instance names one life of a world.
func (ws *Worlds) instance(client string, life int) string {
	return "wld_" + text(ws.random(client, purposeInstance, life))
}

// text is 128 random bits.
func text(random io.Reader) string {
	var bits [16]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		panic(err) // neither source of randomness fails; see crypto/rand.Read
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(bits[:])
}

// requestIDs names the requests of one world.
type requestIDs struct {
	mu     sync.Mutex
	random io.Reader
}

// restart draws on another source of randomness from now on. Undo takes it back.
func (r *requestIDs) restart(random io.Reader) (undo func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.random
	r.random = random
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.random = before
	}
}

func (r *requestIDs) next() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return "req_" + text(r.random)
}

// NewRequestID names a request of this world.
func (w *World) NewRequestID() string { return w.requests.next() }

// NewRequestID names a request that belongs to no world. With a seed it depends on nothing but the seed and what the
// request is: equal requests have equal names, in whatever order they come.
func (ws *Worlds) NewRequestID(request string) string {
	if ws.config.Seed == nil {
		return "req_" + cryptorand.Text()
	}
	return "req_" + text(ws.random("", purposeRequests+"\n"+request, 0))
}
