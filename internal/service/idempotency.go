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

// writeTransfer is write for an effect on a transfer, which it saves, and shows as the answer.
func (s *Service) writeTransfer(ctx context.Context, operation string, key payments.Idempotency, effect func(*work) (*store.Transfer, error)) (payments.Written[payments.Transfer], error) {
	var transfer *store.Transfer
	first, err := s.once(ctx, operation, key,
		func(w *work) (err error) {
			if transfer, err = effect(w); err != nil {
				return err
			}
			return s.saveTransfer(w, transfer)
		},
		func() (store.Answer, error) { return store.AnswerOf(shown{transfer}), nil })
	switch {
	case err != nil:
		return payments.Written[payments.Transfer]{}, err
	case first != nil:
		return replay[payments.Transfer](*first)
	}
	return payments.Written[payments.Transfer]{Value: show(transfer)}, nil
}

// write runs effect once for each idempotency key of an operation. Its value is the answer.
func write[T any](ctx context.Context, s *Service, operation string, key payments.Idempotency, effect func(*work) (T, error)) (payments.Written[T], error) {
	var written payments.Written[T]
	first, err := s.once(ctx, operation, key,
		func(w *work) (err error) {
			written.Value, err = effect(w)
			return err
		},
		func() (_ store.Answer, err error) {
			written.Answer, err = payments.Encode(&written.Value)
			return store.AnswerText(written.Answer), err
		})
	if err == nil && first != nil {
		return replay[T](*first)
	}
	return written, err
}

// replay gives the first answer to a key again. In a world that was restored it may be none: a snapshot is what somebody made of it.
func replay[T any](first store.Answer) (payments.Written[T], error) {
	written := payments.Written[T]{Replayed: true, Answer: first.Text()}
	if err := json.Unmarshal(written.Answer, &written.Value); err != nil {
		return written, payments.Refuse(payments.KindConflict, "The first answer to this key cannot be read: the snapshot that this world was restored from was altered.")
	}
	return written, nil
}

// once runs effect once for each idempotency key of an operation. The key's record, with the answer, and the effect are
// committed together; a refusal records nothing, so that a corrected request may use the key again. Where there was an effect
// already, first is what was answered then.
func (s *Service) once(ctx context.Context, operation string, key payments.Idempotency, effect func(*work) error, answer func() (store.Answer, error)) (first *store.Answer, err error) {
	err = s.update(ctx, func(w *work) error {
		if key.Key == "" {
			return effect(w)
		}
		id := operation + " " + key.Key
		known, err := w.Keys().Get(id)
		if err == nil {
			if !known.Fingerprint.Same(key.Fingerprint) {
				return payments.Refuse(payments.KindKeyReuse, "The key %q belongs to an earlier %s with another body.", key.Key, operation)
			}
			first = &known.Answer
			return nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := effect(w); err != nil {
			return err
		}
		given, err := answer()
		if err != nil {
			return err
		}
		if err := w.Keys().Put(&store.Key{ID: id, Fingerprint: key.Fingerprint, Answer: given, At: w.now}); err != nil {
			return err
		}
		return w.Schedule(store.Job{At: w.now.Add(keyLifetime), Kind: store.JobExpireKey, Subject: id})
	})
	return first, err
}
