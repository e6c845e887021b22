package service

import (
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// IDs makes identifiers that sort by the time of their making. It is safe for concurrent use.
type IDs struct {
	mu      sync.Mutex
	random  io.Reader
	entropy *ulid.MonotonicEntropy
	last    uint64 // milliseconds; identifiers never go back, even when a clock does
}

// NewIDs returns a source of identifiers that draws on a source of randomness.
func NewIDs(random io.Reader) *IDs {
	return &IDs{random: random, entropy: ulid.Monotonic(random, 0)}
}

// new returns an identifier such as acc_01kb….
func (s *IDs) new(prefix string, at time.Time) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, ulid.Timestamp(at))
	id, err := ulid.New(s.last, s.entropy)
	if err != nil {
		return "", err
	}
	return prefix + strings.ToLower(id.String()), nil
}

// hash returns 32 random bytes as a transaction hash.
func (s *IDs) hash() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b [32]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", err
	}
	return "0x" + hex.EncodeToString(b[:]), nil
}

// Prefixes of identifiers.
const (
	prefixAccount  = "acc_"
	prefixContact  = "sct_"
	prefixTransfer = "trf_"
)
