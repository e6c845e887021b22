package journal

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// aheadFor is for how long what was put down ahead may leave without being put down again. Settling counts from that moment:
// what left much later, because the service or the machine paused, would be called absent while it is still on its way.
const aheadFor = time.Minute

// ahead is a write that was put down and not begun.
type ahead struct {
	number int64 // zero: not known
	at     time.Time
}

// Prepare puts down writes ahead of sending them, in one go: a Begin of one of them is then free. Those about which
// something is known already are left as they are.
func (j *Journal) Prepare(ctx context.Context, intents []payments.Intent) error {
	if err := j.owner.claim(ctx); err != nil {
		return explain(j.path, err)
	}
	fresh := make(map[identity]int64, len(intents))
	at := j.now()
	err := j.writer.do(ctx, func(ctx context.Context, s *statements) error {
		for some := range slices.Chunk(intents, manyTogether) {
			if err := j.prepare(ctx, s, some, at, fresh); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return explain(j.path, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, number := range fresh {
		j.prepared[id] = ahead{number, at}
	}
	return nil
}

// prepare puts down some writes: by one statement when they are rows of one batch and nothing is known of any of them, and
// one after the other otherwise. The numbers of those that this put down are added to fresh; zero: not known.
func (j *Journal) prepare(ctx context.Context, s *statements, intents []payments.Intent, now time.Time, fresh map[identity]int64) error {
	ids := make([]identity, len(intents))
	for i, intent := range intents {
		ids[i] = identify(intent)
	}
	if len(intents) == manyTogether && alike(intents) {
		last, added, err := s.addMany(ctx, ids, intents, j.owner.name, now)
		if err != nil {
			return err
		}
		if added {
			for i, id := range ids {
				fresh[id] = last - int64(len(ids)-1-i)
			}
			return nil
		}
	}
	for i, intent := range intents {
		added, err := s.add(ctx, ids[i], intent, j.owner.name, now)
		if err == nil && !added {
			added, err = s.replace(ctx, ids[i], intent, j.owner.name, now)
		}
		if err != nil {
			return err
		}
		if added {
			fresh[ids[i]] = 0
		}
	}
	return nil
}

// take gives what was put down ahead by this process, once.
func (j *Journal) take(id identity) (early ahead, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	early, ok = j.prepared[id]
	if ok {
		delete(j.prepared, id)
		if early.number > 0 {
			j.begun[id] = early.number
		}
	}
	return early, ok
}

// still says whether a write that was taken may leave. One that was put down long ago, or by another clock, is put down again,
// unless another program has put something else down since.
func (j *Journal) still(ctx context.Context, id identity, early ahead) (mine bool, err error) {
	if age := j.now().Sub(early.at); age >= 0 && age < aheadFor {
		return true, nil
	}
	err = j.writer.do(ctx, func(ctx context.Context, s *statements) (err error) {
		mine, err = s.mine(ctx, id, payments.OutcomeSending, j.owner.name, j.now())
		return err
	})
	if mine && err == nil {
		return true, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.begun, id)
	if err != nil && j.prepared != nil {
		j.prepared[id] = early // it does not leave
	}
	return false, err
}

// leave is the number of a write that was put down ahead and ends, begun or not; zero: it is not known.
func (j *Journal) leave(id identity) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	number := cmp.Or(j.begun[id], j.prepared[id].number)
	delete(j.begun, id)
	delete(j.prepared, id)
	return number
}

// abandon says of what was put down ahead and not begun that it was not sent. What another program has found out about it stays.
func (j *Journal) abandon() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.prepared) == 0 {
		return nil
	}
	ids, now := j.prepared, j.now()
	j.prepared = nil
	return j.writer.later(func(ctx context.Context, s *statements) error {
		for id := range ids {
			if _, err := s.mine(ctx, id, payments.OutcomeNotSent, j.owner.name, now); err != nil {
				return err
			}
		}
		return nil
	})
}
