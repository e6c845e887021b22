package keystore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

// KeyringTimeout is how long one call to the keyring may take. It is long enough for a keyring that has to be started,
// and short enough that a person still expects the answer.
const KeyringTimeout = 3 * time.Second

// NewKeyring returns the store in the operating system's keyring, with its locks in the folder dir. Each call to the
// keyring returns after timeout at the latest. A call of go-keyring that hangs cannot be ended: what it was to do may
// still happen while the process lives.
func NewKeyring(dir string, timeout time.Duration) Store {
	return &keyringStore{dir, timeout, keyring.Get, keyring.Set, keyring.Delete, probe}
}

type keyringStore struct {
	dir     string
	timeout time.Duration
	// The functions of go-keyring, which have neither context nor time-out.
	getItem    func(service, user string) (string, error)
	setItem    func(service, user, value string) error
	deleteItem func(service, user string) error
	// probe examines the keyring before go-keyring uses it. An error means that go-keyring would fail; locked, that the
	// keyring will ask the user to unlock it.
	probe func(context.Context) (locked bool, err error)
}

func (s *keyringStore) Name() string { return KindKeyring }

func (s *keyringStore) Get(ctx context.Context, k Key) (Login, error) { return s.get(ctx, k, true) }

// GetWithoutPrompt is Get of a store, but never makes a keyring open a dialog: if it would, the error is ErrLocked.
// Where the platform does not tell in advance whether there would be a dialog (macOS), the keyring is asked all the
// same.
func GetWithoutPrompt(ctx context.Context, store Store, k Key) (Login, error) {
	if s, ok := store.(*keyringStore); ok {
		return s.get(ctx, k, false)
	}
	return store.Get(ctx, k)
}

func (s *keyringStore) get(ctx context.Context, k Key, mayPrompt bool) (Login, error) {
	var l Login
	err := s.call(ctx, "get", k, func(_ context.Context, user string, locked bool) error {
		if locked && !mayPrompt {
			return &Error{Kind: ErrLocked, Cause: errors.New("nobody was asked to unlock it")}
		}
		value, err := s.getItem(keyringService, user)
		if err != nil {
			return err
		}
		l, err = decodeItem(k, value)
		return err
	})
	if err != nil {
		return Login{}, err // l may still be written to after a time-out
	}
	return l, nil
}

func (s *keyringStore) Set(ctx context.Context, k Key, l Login) error {
	return s.call(ctx, "set", k, func(ctx context.Context, user string, _ bool) error {
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
		if err := s.setItem(keyringService, user, value); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return s.verify(k, user, value, l)
	})
}

// verify reads a stored login back: a keyring whose dialog was dismissed reports success.
func (s *keyringStore) verify(k Key, user, value string, l Login) error {
	got, err := s.getItem(keyringService, user)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return &Error{Kind: ErrNotStored, Cause: errors.New("the keyring reported success and holds nothing")}
	case err != nil:
		return err
	case got == value:
		return nil
	}
	// It is no failure if another process has stored a newer login in the meantime.
	if other, err := decodeItem(k, got); err == nil && other.ObtainedAt.After(l.ObtainedAt) {
		return nil
	}
	return &Error{Kind: ErrNotStored, Cause: errors.New("the keyring reported success and holds something else")}
}

// maxItems bounds how many items of one name Delete removes.
const maxItems = 16

// Delete removes every item of that name. Another program may have stored one of the same name with further attributes;
// the keyring returns any of them, and the user would still be logged in if one remained.
func (s *keyringStore) Delete(ctx context.Context, k Key) error {
	return s.call(ctx, "delete", k, func(ctx context.Context, user string, _ bool) error {
		for deleted := range maxItems {
			err := s.deleteItem(keyringService, user)
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
		return &Error{Kind: ErrNotDeleted, Cause: errors.New("the keyring reported success and still holds it")}
	})
}

// Lock implements Locker.
func (s *keyringStore) Lock(ctx context.Context, k Key) (func(), error) {
	return lockLogin(ctx, s.dir, k)
}

// call runs do after the probe, in a goroutine of its own, and waits no longer than the time-out and ctx allow. It
// tells do whether a person will be asked to unlock the keyring.
func (s *keyringStore) call(
	ctx context.Context, op string, k Key, do func(ctx context.Context, user string, locked bool) error,
) error {
	user, err := userName(k)
	if err != nil {
		return explain(op, k, err, false)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, ErrTimeout)
	defer cancel()
	var locked atomic.Bool
	err = runUntilDone(ctx, func() error {
		isLocked, err := s.probe(ctx)
		if ctx.Err() != nil { // the caller has been told that nothing was done
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		locked.Store(isLocked)
		return do(ctx, user, isLocked)
	})
	return explain(op, k, err, locked.Load())
}

// runUntilDone returns what do returns, or the cause of ctx's end if that comes first. do then runs on in the
// background.
func runUntilDone(ctx context.Context, do func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(chan error, 1)
	go func() {
		// go-keyring dereferences a nil signal when the bus disappears during a dialog.
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

// explain returns an error of go-keyring or of the probe as an *Error, or nil. locked is what the probe found: it
// decides where go-keyring's own error does not name the reason.
func explain(op string, k Key, err error, locked bool) error {
	if err == nil {
		return nil
	}
	e := complete(err, op, KindKeyring, k)
	switch {
	case e.Kind != nil, isContextEnd(err):
	case errors.Is(err, ErrTimeout) && locked:
		e.Kind, e.Cause = ErrLocked, errors.New("it was not unlocked in time")
	case errors.Is(err, ErrTimeout):
		e.Kind, e.Cause = ErrTimeout, nil
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
