package keystore

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"github.com/payctl/payctl/internal/wait"
)

// KeyringTimeout is how long one call to the keyring may take. It is long enough to start a keyring, and short for a
// person.
const KeyringTimeout = 3 * time.Second

// keyringService is the service name of all items of this program in the keyring.
const keyringService = "payctl"

// keyringStore is the store in the operating system's keyring. go-keyring has no context and no timeout. Here each call
// returns after the timeout, but a call that hangs may still have its effect later.
type keyringStore struct {
	folder
	timeout time.Duration
}

func (*keyringStore) Name() string { return KeyringStore }

func (s *keyringStore) Get(ctx context.Context, k Key) (Login, error) {
	return s.call(ctx, "read the login", k, func() (Login, error) {
		value, err := keyring.Get(keyringService, k.name())
		if err != nil {
			return Login{}, err
		}
		return decode(k, []byte(value))
	})
}

func (s *keyringStore) Set(ctx context.Context, k Key, l Login) error {
	_, err := s.call(ctx, "keep the login", k, func() (none Login, err error) {
		data, err := encode(k, l)
		if err == nil {
			err = keyring.Set(keyringService, k.name(), string(data))
		}
		return none, err
	})
	return err
}

func (s *keyringStore) Delete(ctx context.Context, k Key) error {
	_, err := s.call(ctx, "delete the login", k, func() (none Login, err error) {
		return none, keyring.Delete(keyringService, k.name())
	})
	return err
}

// call runs do in a goroutine, and waits until the timeout or the end of ctx.
func (s *keyringStore) call(ctx context.Context, op string, k Key, do func() (Login, error)) (Login, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, ErrTimeout)
	defer cancel()
	login, err := wait.For(ctx, func() (Login, error) {
		err := checkBus(ctx)
		if ctx.Err() != nil { // the caller already has the error that nothing was done
			err = context.Cause(ctx)
		}
		if err != nil {
			return Login{}, err
		}
		return do()
	})
	if err == nil {
		return login, nil
	}
	if known := failureOf(err); known != nil {
		err = fmt.Errorf("%w: %w", known, err)
	}
	return Login{}, &Error{Op: op, Store: KeyringStore, Key: k, Err: err}
}

// checkBus returns an error without a session bus, since go-keyring would start one with dbus-launch and leave it
// running. Windows and macOS do not need a bus.
func checkBus(ctx context.Context) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil
	}
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	return conn.Close()
}

// failureOf returns the Err… value for an error of go-keyring or of the keyring. It returns nil if there is none, or
// if err is already one.
func failureOf(err error) error {
	bus, isBus := errors.AsType[dbus.Error](err)
	exit, isExit := errors.AsType[*exec.ExitError](err) // of macOS's security(1): the low byte of an OSStatus (SecBase.h)
	const noLogonSession = syscall.Errno(1312)          // of Windows: network logons have no credential set
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooLarge
	case errors.Is(err, keyring.ErrUnsupportedPlatform), errors.Is(err, exec.ErrNotFound), errors.Is(err, dbus.ErrClosed),
		isBus && strings.HasPrefix(bus.Name, "org.freedesktop.DBus.Error."), errors.Is(err, noLogonSession):
		return ErrAbsent
	case strings.Contains(err.Error(), "failed to unlock"), // go-keyring, if the dialog was dismissed or cannot be shown
		isBus && bus.Name == "org.freedesktop.Secret.Error.IsLocked",
		// Interaction is not allowed, the password was wrong, the user canceled.
		isExit && slices.Contains([]int{36, 51, 128}, exit.ExitCode()):
		return ErrLocked
	}
	return nil
}
