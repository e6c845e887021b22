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

// IDs makes identifiers, which are ULIDs with a prefix, and so sort by the time of their making. It is safe for
// concurrent use.
type IDs struct {
	mu     sync.Mutex
	random io.Reader
	drawn  [32]byte  // what draw returned last; bytes of its own would be allocated for each call
	last   ulid.ULID // identifiers never go back, even when the clock does
}

// NewIDs returns a source of identifiers that draws on a random stream.
func NewIDs(random io.Reader) *IDs { return &IDs{random: random} }

// Restart draws on another random stream from now on.
func (s *IDs) Restart(random io.Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.random, s.last = random, ulid.ULID{}
}

// moveBehind makes new identifiers sort after one; it ignores one of another form. The caller holds the lock.
func (s *IDs) moveBehind(id string) {
	_, text, _ := strings.Cut(id, "_")
	if last, err := ulid.ParseStrict(strings.ToUpper(text)); err == nil && last.Compare(s.last) > 0 {
		s.last = last
	}
}

// reserved is the bit of an identifier's first random byte that is not drawn. It leaves room for the identifiers that
// follow in the same millisecond.
const reserved = 0x80

// new returns an identifier such as acc_01kb…, which sorts after another one; empty: after none.
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

// next returns the next identifier: a random one of its millisecond, or a little more than the last one if that is of
// the same millisecond or of a later one.
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

// draw returns random bytes, which are valid until the next call.
func (s *IDs) draw(n int) ([]byte, error) {
	_, err := io.ReadFull(s.random, s.drawn[:n])
	return s.drawn[:n], err
}

// newID returns an identifier for a new record of a table, which sorts after all others there: also after the latest
// one of another process, whose clock may be ahead, or in whose same millisecond a manual clock may stand.
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

// hash returns 32 random bytes as the hash of a transaction on a chain.
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
