package service

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// IDs makes identifiers that sort by the time of their making. It is safe for concurrent use.
type IDs struct {
	mu     sync.Mutex
	random io.Reader
	last   ulid.ULID // identifiers never go back, even when a clock does
}

// NewIDs returns a source of identifiers that draws on a source of randomness.
func NewIDs(random io.Reader) *IDs { return &IDs{random: random} }

// Restart draws on another source of randomness from now on. What follows sorts behind the given identifiers, of which
// those of another form do not count. Undo takes it back.
func (s *IDs) Restart(random io.Reader, behind ...string) (undo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, last := s.random, s.last
	undo = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.random, s.last = before, last
	}
	s.random, s.last = random, ulid.ULID{}
	for _, id := range behind {
		s.behind(id)
	}
	return undo
}

// passOver has what follows sort behind an identifier that another source made; one of another form does not count.
func (s *IDs) passOver(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behind(id)
}

// behind moves the last identifier up to another one. The caller holds the lock.
func (s *IDs) behind(id string) {
	_, text, _ := strings.Cut(id, "_")
	if last, err := ulid.ParseStrict(strings.ToUpper(text)); err == nil && last.Compare(s.last) > 0 {
		s.last = last
	}
}

// reserved is the bit of an identifier's first random byte that is never drawn: room for those that follow in its millisecond,
// more than anybody makes.
const reserved = 0x80

// new returns an identifier such as acc_01kb….
func (s *IDs) new(prefix string, at time.Time) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.following(ulid.Timestamp(at))
	if err != nil {
		return "", err
	}
	s.last = next
	var text [ulid.EncodedSize]byte
	if err := next.MarshalTextTo(text[:]); err != nil {
		return "", err
	}
	return prefix + string(bytes.ToLower(text[:])), nil
}

// following is the next identifier: a random one of its millisecond, or a little more than the last one where that is
// of the same millisecond or of a later one.
func (s *IDs) following(ms uint64) (next ulid.ULID, err error) {
	if ms > s.last.Time() {
		if err := next.SetTime(ms); err != nil {
			return next, err
		}
		_, err := io.ReadFull(s.random, next[6:])
		next[6] &^= reserved
		return next, err
	}
	var step [4]byte
	if _, err := io.ReadFull(s.random, step[:]); err != nil {
		return next, err
	}
	next = s.last
	carry := uint64(binary.BigEndian.Uint32(step[:])) + 1
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

// newID names a record that is about to join a table, so that it sorts behind all that are there. Where other processes
// have the store too, one of them may have made the latest in this very millisecond, in which a manual clock can stand
// for long. Another clock soon shows the next one, and is not worth a look at the table for each record.
func newID[T any, P store.Record[T]](s *Service, w *work, prefix string, table store.Table[T]) (string, error) {
	if s.follow != nil && w.world.Clock.Mode == payments.ClockModeManual {
		latest, err := greatest[T, P](table)
		if err != nil {
			return "", err
		}
		s.ids.passOver(latest)
	}
	return s.ids.new(prefix, w.now)
}

// hash returns 32 random bytes as a transaction hash.
func (s *IDs) hash() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b [32]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", err
	}
	text := append(make([]byte, 0, len("0x")+2*len(b)), "0x"...)
	return string(hex.AppendEncode(text, b[:])), nil
}

// Prefixes of identifiers.
const (
	prefixAccount  = "acc_"
	prefixContact  = "sct_"
	prefixTransfer = "trf_"
	prefixEvent    = "evt_"
)

// IsAccountID says whether a text can be an account's identifier.
func IsAccountID(text string) bool { return canBe(text, prefixAccount) }

// IsContactID says whether a text can be a saved contact's identifier.
func IsContactID(text string) bool { return canBe(text, prefixContact) }

// IsTransferID says whether a text can be a transfer's identifier.
func IsTransferID(text string) bool { return canBe(text, prefixTransfer) }

// canBe says whether a text is an identifier of a record. One that leaves no room for those that have to sort behind it is none.
func canBe(text, prefix string) bool {
	id, ok := idOf(text, prefix)
	return ok && id[6]&reserved == 0
}

// isID says whether a text has the form of an identifier.
func isID(text, prefix string) bool {
	_, ok := idOf(text, prefix)
	return ok
}

// idOf reads an identifier of a prefix.
func idOf(text, prefix string) (id ulid.ULID, ok bool) {
	digits, found := strings.CutPrefix(text, prefix)
	if !found || digits != strings.ToLower(digits) {
		return id, false
	}
	id, err := ulid.ParseStrict(strings.ToUpper(digits))
	return id, err == nil
}

// Greatest lists the greatest identifier of each kind that a world has: new ones have to sort behind them.
func Greatest(tx store.Tx) ([]string, error) {
	var ids []string
	for _, last := range []func() (string, error){
		func() (string, error) { return greatest(tx.Accounts()) },
		func() (string, error) { return greatest(tx.Contacts()) },
		func() (string, error) { return greatest(tx.Transfers()) },
	} {
		id, err := last()
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func greatest[T any, P store.Record[T]](table store.Table[T]) (string, error) {
	rows, err := table.List(store.Query{Limit: 1})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return P(rows[0]).RecordID(), nil
}
