package credential

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// KeyringTimeout is how long one call to the keyring may take.
const KeyringTimeout = 3 * time.Second

// backend is what go-keyring offers, which has neither context nor time-out.
type backend interface {
	Set(service, user, value string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
}

type osKeyring struct{}

func (osKeyring) Set(service, user, value string) error    { return keyring.Set(service, user, value) }
func (osKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (osKeyring) Delete(service, user string) error        { return keyring.Delete(service, user) }

// NewKeyring returns the store in the operating system's keyring. Each call ends after
// timeout at the latest. A call that go-keyring does not return from is left behind,
// since nothing can end it: what it was to do may still happen while the process lives.
func NewKeyring(timeout time.Duration) Store {
	return &ring{timeout: timeout, backend: osKeyring{}, probe: probe}
}

type ring struct {
	timeout time.Duration
	backend backend
	// probe looks at the keyring before go-keyring does: an error says that there is no
	// use in going on; locked, that the keyring will ask the user to unlock it. It goes on
	// looking until the context ends, and calls gone when the keyring goes away meanwhile.
	probe func(ctx context.Context, gone func()) (locked bool, err error)
}

func (r *ring) Name() string { return KindKeyring }

func (r *ring) Get(ctx context.Context, k Key) (Login, error) {
	var l Login
	err := r.call(ctx, "get", k, func(_ context.Context, user string, _ bool) (err error) {
		l, err = r.get(k, user)
		return err
	})
	if err != nil {
		return Login{}, err
	}
	return l, nil
}

func (r *ring) Set(ctx context.Context, k Key, l Login) error {
	return r.call(ctx, "set", k, func(ctx context.Context, user string, _ bool) error {
		l, err := prepare(k, l)
		if err != nil {
			return err
		}
		value, err := encodeItem(l)
		if err != nil {
			return err
		}
		if err := checkSize(runtime.GOOS, user, value); err != nil {
			return err
		}
		if err := r.backend.Set(service, user, value); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return r.compare(k, user, value, l)
	})
}

// compare reads back: a keyring whose dialog was dismissed reports success.
func (r *ring) compare(k Key, user, value string, l Login) error {
	got, err := r.backend.Get(service, user)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return &kinded{kind: ErrNotStored, cause: errors.New("the keyring reported success and holds nothing")}
	case err != nil:
		return err
	case got == value:
		return nil
	}
	// Another process that stored a newer login in between is no failure.
	if other, err := decodeItem(k, got); err == nil && other.ObtainedAt.After(l.ObtainedAt) {
		return nil
	}
	return &kinded{kind: ErrNotStored, cause: errors.New("the keyring reported success and holds something else")}
}

// mostItems bounds how many items of one name Delete removes.
const mostItems = 16

// Delete removes every item of that name: where another program stored one beside ours, with an attribute more for one, a
// keyring gives either of them, and a login that stays behind one is no logout.
func (r *ring) Delete(ctx context.Context, k Key) error {
	return r.call(ctx, "delete", k, func(ctx context.Context, user string, _ bool) error {
		for deleted := range mostItems {
			err := r.backend.Delete(service, user)
			if deleted > 0 && errors.Is(err, keyring.ErrNotFound) {
				return nil
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return err
			}
		}
		return &kinded{kind: ErrNotDeleted, cause: errors.New("the keyring reported success and still holds it")}
	})
}

func (r *ring) get(k Key, user string) (Login, error) {
	value, err := r.backend.Get(service, user)
	if err != nil {
		return Login{}, err
	}
	return decodeItem(k, value)
}

// call runs do in a goroutine of its own, after the probe, and waits no longer than the
// time-out and ctx allow. Locked says that a person will be asked to unlock the keyring.
func (r *ring) call(ctx context.Context, op string, k Key, do func(ctx context.Context, user string, locked bool) error) error {
	name, err := userName(k)
	if err != nil {
		return explain(op, k, err, false)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.timeout, ErrTimeout)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	gone := func() {
		end(&kinded{kind: ErrAbsent, cause: errors.New("the secret service ended in the middle of the call")})
	}
	var locked atomic.Bool
	err = race(ctx, func() error {
		l, err := r.probe(ctx, gone)
		if ctx.Err() != nil { // nobody waits any more: do not write behind their back
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		locked.Store(l)
		return do(ctx, name, l)
	})
	return explain(op, k, err, locked.Load())
}

// race returns what do returns, or the cause of ctx's end if that comes first.
func race(ctx context.Context, do func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(chan error, 1)
	go func() {
		// go-keyring dereferences a nil signal when the bus goes away during a dialog.
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("go-keyring panicked: %v", p)
			}
		}()
		done <- do()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// explain turns what go-keyring or the probe said into an *Error, or nil into nil.
// locked is what the probe saw: it decides where go-keyring's own error says nothing.
func explain(op string, k Key, err error, locked bool) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, Store: KindKeyring, Key: k, Cause: err}
	var known *kinded
	switch {
	case errors.As(err, &known):
		e.Kind, e.Cause, e.next = known.kind, known.cause, known.next
	case errors.Is(err, ErrTimeout) && locked:
		e.Kind, e.Cause = ErrLocked, errors.New("it was not unlocked in time")
	case errors.Is(err, ErrTimeout):
		e.Kind, e.Cause = ErrTimeout, nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.Is(err, keyring.ErrNotFound):
		e.Kind, e.Cause = ErrNotFound, nil
	case errors.Is(err, keyring.ErrSetDataTooBig):
		e.Kind = ErrTooLarge
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		e.Kind = ErrAbsent
	default:
		if e.Kind = platformKind(err); e.Kind == nil && locked {
			e.Kind = ErrLocked
		}
	}
	return e
}
