package watch

import (
	"hash/maphash"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// mostRecent is how many events are remembered.
const mostRecent = 4096

// recent knows the last events that were taken in, so that those that a service sends again are not told again. Its zero
// value is ready.
type recent struct {
	seed  maphash.Seed
	known map[uint64]bool
	order [mostRecent]uint64
	next  int
}

// again says whether an event was among the last ones; it is from now on. Two events are the same when nothing tells them
// apart: a service that gives one id to several loses none of them.
func (r *recent) again(event payments.Event) bool {
	if r.known == nil {
		r.seed, r.known = maphash.MakeSeed(), make(map[uint64]bool)
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, text := range []*string{&event.ID, (*string)(&event.Type), &event.SubjectID, event.From, event.To} {
		_ = h.WriteByte(0) // never fails, as the others
		if text != nil {
			_ = h.WriteByte(1)
			_, _ = h.WriteString(*text)
		}
	}
	_, _ = h.WriteString(event.OccurredAt.UTC().Format(time.RFC3339Nano))
	sum := h.Sum64()
	if r.known[sum] {
		return true
	}
	delete(r.known, r.order[r.next])
	r.known[sum], r.order[r.next] = true, sum
	r.next = (r.next + 1) % mostRecent
	return false
}
