package service

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// keyLifetime is how long an idempotency key is kept, by the world's clock.
const keyLifetime = 24 * time.Hour

// ApplyOnce is applyOnce for an effect outside this package that may move the world's clock. The next transaction first
// runs the jobs that become due.
func ApplyOnce[T any](
	ctx context.Context, s *Service, operation string, key WriteKey, effect func(tx store.Tx) (T, error),
) (Written[T], error) {
	return applyOnce(ctx, s, operation, key, func(w *work) (T, error) {
		value, err := effect(w.Tx)
		if err != nil {
			return value, err
		}
		record, err := w.Worlds().Get(store.WorldID)
		if err == nil {
			w.now = s.clock.Shows(record.Clock)
		}
		return value, err
	})
}

// applyOnce is findOrApplyOnce for an effect that always changes something.
func applyOnce[T any](
	ctx context.Context, s *Service, operation string, key WriteKey,
	effect func(*work) (T, error),
) (Written[T], error) {
	return findOrApplyOnce(ctx, s, operation, key, func(w *work) (T, bool, error) {
		value, err := effect(w)
		return value, false, err
	})
}

// findOrApplyOnce runs effect once for each idempotency key of an operation. Without a key it runs it each time. The
// effect reports whether the resource existed, so that nothing changed. The effect and the key with its encoded
// response are committed together. A later call with the key returns that response. A failed effect records no key, so
// a corrected request may use it again.
func findOrApplyOnce[T any](
	ctx context.Context, s *Service, operation string, key WriteKey,
	effect func(*work) (value T, existing bool, err error),
) (result Written[T], err error) {
	id := ""
	if key.Key != "" {
		id = operation + " " + key.Key
	}
	err = s.update(ctx, func(w *work) (err error) {
		apply := func() (err error) {
			result.Value, result.Existing, err = effect(w)
			result.Replayed, result.ETag = result.Existing, w.tag
			return err
		}
		if id == "" {
			return apply()
		}
		known, err := w.Keys().Get(id)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return err
		case known.Fingerprint != key.Fingerprint:
			return payments.NewProblem(payments.ProblemKeyReuse,
				"The key %q belongs to an earlier %s with another body.", key.Key, operation)
		default:
			result, err = replay[T](known)
			return err
		}
		if err := apply(); err != nil {
			return err
		}
		if result.Encoded, err = payments.Encode(&result.Value); err != nil {
			return err
		}
		record := &store.Key{
			ID: id, Fingerprint: key.Fingerprint, Response: result.Encoded, ETag: result.ETag, Existing: result.Existing,
			At: w.now, ExpiresAt: w.now.Add(keyLifetime),
		}
		return w.Keys().Put(record)
	})
	return result, err
}

// replay decodes the stored response of a key.
func replay[T any](key *store.Key) (Written[T], error) {
	result := Written[T]{Replayed: true, Existing: key.Existing, Encoded: key.Response, ETag: key.ETag}
	err := json.Unmarshal(key.Response, &result.Value)
	return result, err
}
