package journal

import (
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
)

// Prepare puts down writes ahead of sending them, in one go: a Begin of one of them is then free. Those about which
// something is known already are left as they are.
func (j *Journal) Prepare(ctx context.Context, intents []payments.Intent) error {
	if err := j.owner.claim(ctx); err != nil {
		return explain(j.path, err)
	}
	fresh := make(map[identity]int64, len(intents))
	err := j.writer.do(ctx, func(ctx context.Context, s *statements) error {
		for some := range slices.Chunk(intents, manyTogether) {
			if err := j.prepare(ctx, s, some, fresh); err != nil {
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
		j.prepared[id] = number
	}
	return nil
}

// prepare puts down some writes: by one statement when they are rows of one batch and nothing is known of any of them, and
// one after the other otherwise. The numbers of those that this put down are added to fresh; zero: not known.
func (j *Journal) prepare(ctx context.Context, s *statements, intents []payments.Intent, fresh map[identity]int64) error {
	ids, now := make([]identity, len(intents)), j.now()
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

// take says whether a write was put down ahead by this process, which is true once.
func (j *Journal) take(id identity) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	number, ok := j.prepared[id]
	if ok {
		delete(j.prepared, id)
		if number > 0 {
			j.begun[id] = number
		}
	}
	return ok
}

// leave is the number of a write that was put down ahead and ends; zero: it is not known.
func (j *Journal) leave(id identity) int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	number := j.begun[id]
	delete(j.begun, id)
	return number
}

// abandon says of what was put down ahead and not begun that it was not sent.
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
			if err := s.end(ctx, id, payments.Result{Outcome: payments.OutcomeNotSent}, now); err != nil {
				return err
			}
		}
		return nil
	})
}
