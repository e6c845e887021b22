package service

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Once runs effect once for each idempotency key of an operation, in a transaction at a moment of the world's clock. Where
// the effect moves the clock, everything that became due happens in the same transaction.
func Once[T any](ctx context.Context, s *Service, operation string, key payments.Idempotency, effect func(tx store.Tx, now time.Time) (T, error)) (payments.Written[T], error) {
	return write(ctx, s, operation, key, func(w *work) (T, error) {
		value, err := effect(w.Tx, w.now)
		if err != nil {
			return value, err
		}
		w.now = s.clock.Now()
		return value, s.catchUp(w)
	})
}

// write runs effect once for each idempotency key of an operation. The key's record and the effect are committed
// together; a refusal records nothing, so that a corrected request may use the key again.
func write[T any](ctx context.Context, s *Service, operation string, key payments.Idempotency, effect func(*work) (T, error)) (payments.Written[T], error) {
	var written payments.Written[T]
	err := s.update(ctx, func(w *work) error {
		if key.Key == "" {
			var err error
			written.Value, err = effect(w)
			return err
		}
		id := operation + " " + key.Key
		known, err := w.Keys().Get(id)
		if err == nil {
			if known.Fingerprint != key.Fingerprint {
				return payments.Refuse(payments.KindKeyReuse, "The key %q belongs to an earlier %s with another body.", key.Key, operation)
			}
			written.Replayed, written.Answer = true, known.Answer
			return json.Unmarshal(known.Answer, &written.Value)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if written.Value, err = effect(w); err != nil {
			return err
		}
		if written.Answer, err = payments.Encode(&written.Value); err != nil {
			return err
		}
		if err := w.Keys().Put(&store.Key{ID: id, Fingerprint: key.Fingerprint, Answer: written.Answer, At: w.now}); err != nil {
			return err
		}
		return w.Schedule(store.Job{At: w.now.Add(keyLifetime), Kind: store.JobExpireKey, Subject: id})
	})
	return written, err
}
