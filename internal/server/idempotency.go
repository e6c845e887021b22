package server

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// maxKeyLength is the longest idempotency key, in bytes. The contract has the same bound.
const maxKeyLength = 255

// idempotency returns the request's idempotency key with the fingerprint of the request, and its preconditions.
func (x *exchange) idempotency() (payments.Idempotency, error) {
	idempotency := payments.Idempotency{Precondition: x.precondition()}
	if len(x.r.Header["Idempotency-Key"]) == 0 || x.server.config.IgnoreIdempotencyKeys {
		return idempotency, nil
	}
	if x.key == "" {
		return idempotency, malformed(
			"The Idempotency-Key header must hold one key of 1 to %d printable ASCII characters, "+
				"bare or as a quoted string.", maxKeyLength)
	}
	idempotency.Key, idempotency.Fingerprint = x.key, payments.FingerprintOf(x.r.Method, x.r.URL.Path, x.body)
	return idempotency, nil
}

// parseIdempotencyKey reads the key, which may be bare or a quoted string (RFC 8941 section 3.3.3), in which a
// backslash escapes a backslash or a quote and nothing else.
func parseIdempotencyKey(values []string) (key string, ok bool) {
	if len(values) != 1 {
		return "", false
	}
	key = values[0]
	if strings.HasPrefix(key, `"`) {
		inner, closed := strings.CutSuffix(key[1:], `"`)
		if !closed || strings.ContainsAny(strings.NewReplacer(`\\`, "", `\"`, "").Replace(inner), `"\`) {
			return "", false
		}
		key = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(inner)
	}
	unprintable := strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' })
	if key == "" || len(key) > maxKeyLength || unprintable {
		return "", false
	}
	return key, true
}

// A keyUse identifies requests with the same idempotency key, of which only one may run at a time.
type keyUse struct {
	world string
	op    *contract.Operation
	key   string
}

func (x *exchange) keyUse() keyUse { return keyUse{x.session.Instance, x.op, x.key} }

// serializeByKey waits until no other request with the same idempotency key runs in this process. The store prevents a
// second effect; this only saves the client a repetition of its request.
func (x *exchange) serializeByKey() (err error) {
	if !x.op.TakesIdempotencyKey || x.server.config.IgnoreIdempotencyKeys || x.key == "" {
		return nil
	}
	x.keyHeld, err = x.server.keysInUse.acquire(x.ctx, x.keyUse(), x.server.config.Bounds.KeyWait)
	return err
}

// keyInUse is the problem of a request whose key another request uses.
func keyInUse(key string) error {
	problem := payments.NewProblem(payments.KindKeyInUse,
		"An earlier request with the key %q has not been answered yet.", key)
	problem.RetryAfter = time.Second
	return problem
}

// keysInUse are the idempotency keys of the requests that run in this process.
type keysInUse struct {
	mu   sync.Mutex
	uses map[keyUse]chan struct{} // closed when the request ends
}

// acquire marks a key as used and returns true, or waits until the request that uses it ends and returns false: the
// response is then there to be sent again. The error is a problem if that takes longer than wait, or the context's.
func (k *keysInUse) acquire(ctx context.Context, use keyUse, wait time.Duration) (held bool, err error) {
	k.mu.Lock()
	ended, inUse := k.uses[use]
	if !inUse {
		k.uses[use] = make(chan struct{})
	}
	k.mu.Unlock()
	if !inUse {
		return true, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ended:
		return false, nil
	case <-timer.C:
		return false, keyInUse(use.key)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// release ends the use of a key that acquire marked.
func (k *keysInUse) release(use keyUse) {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.uses[use])
	delete(k.uses, use)
}
