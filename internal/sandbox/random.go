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

// Each purpose has its own random stream, so that reads for one do not change another.
const (
	purposeIDs      = "identifiers"
	purposeInstance = "instance"
	purposeRequests = "requests"
	purposeFaults   = "faults"
)

// random returns a random stream for one purpose of one world. With a seed, the stream depends only on the seed, the
// client, the purpose and the number. Other worlds do not change it.
func (ws *Worlds) random(client, purpose string, number int) io.Reader {
	if ws.config.Seed == nil {
		return cryptorand.Reader
	}
	key := sha256.Sum256(fmt.Appendf(nil, "payctl sandbox\n%d\n%q\n%s\n%d", *ws.config.Seed, client, purpose, number))
	return rand.NewChaCha8(key)
}

// newInstance returns the identifier of the instance of a world with this number.
func (ws *Worlds) newInstance(client string, number int) string {
	return randomText("wld_", ws.random(client, purposeInstance, number))
}

// randomText returns a prefix and 128 random bits as text.
func randomText(prefix string, random io.Reader) string {
	var bits [16]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		panic(err) // neither kind of stream fails; see crypto/rand.Read
	}
	return prefix + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(bits[:])
}

// A randomStream is a random stream that goroutines share, and that can be replaced.
type randomStream struct {
	mu     sync.Mutex
	source io.Reader
}

// Read implements io.Reader.
func (r *randomStream) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}

func (r *randomStream) replace(source io.Reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.source = source
}

// NewRequestID returns an identifier for a request of this world.
func (w *World) NewRequestID() string { return randomText("req_", &w.requestRandom) }
