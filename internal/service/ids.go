package service

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/oklog/ulid/v2"

	"github.com/payctl/payctl/internal/store"
)

// Prefixes of identifiers.
const (
	prefixAccount  = "acc_"
	prefixContact  = "sct_"
	prefixTransfer = "trf_"
	prefixEvent    = "evt_"
)

// IDs makes identifiers: ULIDs with a prefix, so they sort by time. It is safe for concurrent use.
type IDs struct {
	mu     sync.Mutex
	random io.Reader
	drawn  [32]byte  // the result of draw, to save allocations
	last   ulid.ULID // identifiers never go back, even if the clock does
}

// NewIDs returns a source of identifiers that reads a random stream.
func NewIDs(random io.Reader) *IDs { return &IDs{random: random} }

// Restart switches to another random stream.
func (s *IDs) Restart(random io.Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.random, s.last = random, ulid.ULID{}
}

// moveBehind makes new identifiers sort after id, unless it is malformed. The caller holds the lock.
func (s *IDs) moveBehind(id string) {
	_, text, _ := strings.Cut(id, "_")
	if last, err := ulid.ParseStrict(strings.ToUpper(text)); err == nil && last.Compare(s.last) > 0 {
		s.last = last
	}
}

// reserved is a bit of an identifier's first random byte that is zero. It leaves room for further identifiers in the
// same millisecond.
const reserved = 0x80

// new returns an identifier such as acc_01kb…. It sorts after behind, which may be empty.
func (s *IDs) new(prefix string, at time.Time, behind string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moveBehind(behind)
	next, err := s.next(ulid.Timestamp(at))
	if err != nil {
		return "", err
	}
	s.last = next
	var text [ulid.EncodedSize]byte
	if err := next.MarshalTextTo(text[:]); err != nil {
		return "", err
	}
	for i, c := range text {
		text[i] = byte(unicode.ToLower(rune(c)))
	}
	return prefix + string(text[:]), nil
}

// next returns a random identifier of its millisecond. If the last identifier is not older, next returns a little more
// than that.
func (s *IDs) next(ms uint64) (next ulid.ULID, err error) {
	if ms > s.last.Time() {
		if err := next.SetTime(ms); err != nil {
			return next, err
		}
		random, err := s.draw(len(next) - 6)
		copy(next[6:], random)
		next[6] &^= reserved
		return next, err
	}
	step, err := s.draw(4)
	if err != nil {
		return next, err
	}
	next = s.last
	carry := uint64(binary.BigEndian.Uint32(step)) + 1
	for i := len(next) - 1; i >= 6 && carry > 0; i-- {
		carry += uint64(next[i])
		next[i] = byte(carry)
		carry >>= 8
	}
	if carry > 0 {
		return next, ulid.ErrMonotonicOverflow
	}
	return next, nil
}

// draw returns random bytes that are valid until the next call.
func (s *IDs) draw(n int) ([]byte, error) {
	_, err := io.ReadFull(s.random, s.drawn[:n])
	return s.drawn[:n], err
}

// newID returns an identifier for a new record of a table. It sorts after all others there, also of other processes
// with clocks ahead or in the same millisecond.
func newID[T any, P record[T]](s *Service, w *work, prefix string, table store.Table[T]) (string, error) {
	latest, err := table.List(store.Query{Limit: 1})
	if err != nil {
		return "", err
	}
	behind := ""
	if len(latest) > 0 {
		behind = P(latest[0]).DocumentID()
	}
	return s.ids.new(prefix, w.now, behind)
}

// hash returns 32 random bytes as the hash of a chain's transaction.
func (s *IDs) hash() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	random, err := s.draw(len(s.drawn))
	if err != nil {
		return "", err
	}
	text := append(make([]byte, 0, len("0x")+2*len(s.drawn)), "0x"...)
	return string(hex.AppendEncode(text, random)), nil
}

// parseID parses an identifier with a prefix.
func parseID(text, prefix string) (id ulid.ULID, ok bool) {
	digits, found := strings.CutPrefix(text, prefix)
	if !found || digits != strings.ToLower(digits) {
		return id, false
	}
	id, err := ulid.ParseStrict(strings.ToUpper(digits))
	return id, err == nil
}
