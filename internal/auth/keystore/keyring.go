package keystore

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"github.com/payctl/payctl/internal/wait"
)

// KeyringTimeout is how long one call to the keyring may take. It is long enough for a keyring that has to be started,
// and short enough that a person still expects the answer.
const KeyringTimeout = 3 * time.Second

// keyringService is the service name of all items of this program in the keyring.
const keyringService = "payctl"

// maxItem is the longest item, in bytes. The keyrings of Windows and macOS take less, and go-keyring says so.
const maxItem = 64 << 10

// keyringStore is the store in the operating system's keyring. go-keyring has neither context nor time-out: each call
// returns after the time-out at the latest, and what a call that hangs was to do may still happen while the process lives.
type keyringStore struct {
	locks
	timeout time.Duration
	quiet   bool // never open a dialog
}

func (*keyringStore) Name() string { return KindKeyring }

// GetWithoutPrompt is Get of a store, but never makes a keyring open a dialog: if it would, the error is ErrLocked.
// Where the platform does not tell in advance whether there would be a dialog (macOS), the keyring is asked all the
// same.
func GetWithoutPrompt(ctx context.Context, store Store, k Key) (Login, error) {
	if s, ok := store.(*keyringStore); ok {
		store = &keyringStore{s.locks, s.timeout, true}
	}
	return store.Get(ctx, k)
}

func (s *keyringStore) Get(ctx context.Context, k Key) (Login, error) {
	value, err := s.call(ctx, "read the login", k, func(context.Context) (string, error) {
		return keyring.Get(keyringService, k.name())
	})
	if err != nil {
		return Login{}, err
	}
	login, err := decode(k, []byte(value))
	if err != nil {
		err = &Error{Op: "read the login", Store: KindKeyring, Key: k, Err: err}
	}
	return login, err
}

// Set implements Store. It reads the login back: a keyring whose dialog was dismissed reports success.
func (s *keyringStore) Set(ctx context.Context, k Key, l Login) error {
	_, err := s.call(ctx, "keep the login", k, func(ctx context.Context) (held string, err error) {
		data, err := encode(k, l)
		if err == nil && len(data) > maxItem {
			err = ErrTooLarge
		}
		if err == nil {
			err = keyring.Set(keyringService, k.name(), string(data))
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			held, err = keyring.Get(keyringService, k.name())
		}
		if err == nil && held != string(data) || errors.Is(err, keyring.ErrNotFound) {
			err = ErrNotDone
		}
		return "", err
	})
	return err
}

// Delete implements Store. It removes every item of that name: another program may have stored one of the same name with
// further attributes. The keyring returns any of them, and the user would still be logged in if one remained.
func (s *keyringStore) Delete(ctx context.Context, k Key) error {
	const maxItems = 16
	_, err := s.call(ctx, "delete the login", k, func(ctx context.Context) (string, error) {
		for deleted := range maxItems {
			err := keyring.Delete(keyringService, k.name())
			if deleted > 0 && errors.Is(err, keyring.ErrNotFound) {
				return "", nil
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return "", err
			}
		}
		return "", ErrNotDone
	})
	return err
}

// call runs do after the probe, in a goroutine of its own, and waits no longer than the time-out and ctx allow.
func (s *keyringStore) call(
	ctx context.Context, op string, k Key, do func(context.Context) (string, error),
) (value string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, ErrTimeout)
	defer cancel()
	var locked atomic.Bool
	err = ctx.Err()
	if err == nil {
		value, err = wait.For(ctx, func() (value string, err error) {
			isLocked, err := probe(ctx)
			locked.Store(isLocked)
			switch {
			case ctx.Err() != nil: // the caller has been told that nothing was done
				return "", context.Cause(ctx)
			case err != nil:
				return "", err
			case isLocked && s.quiet:
				return "", fmt.Errorf("%w: nobody was asked to unlock it", ErrLocked)
			}
			// go-keyring dereferences a nil signal when the bus disappears during a dialog.
			err = wait.CatchPanic(func() (err error) {
				value, err = do(ctx)
				return err
			})
			return value, err
		})
	}
	if err == nil {
		return value, nil
	}
	known := kindOf(err)
	_, isKind := errors.AsType[*kind](err)
	switch {
	case errors.Is(err, ErrTimeout) && locked.Load():
		err = fmt.Errorf("%w: it was not unlocked in time", ErrLocked)
	case isKind, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case known != nil:
		err = fmt.Errorf("%w: %w", known, err)
	case locked.Load(): // go-keyring's own error does not name the reason
		err = fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return "", &Error{Op: op, Store: KindKeyring, Key: k, Err: err}
}

// Names of the Secret Service API, https://specifications.freedesktop.org/secret-service/.
const (
	secretsName     = "org.freedesktop.secrets"
	secretsPath     = dbus.ObjectPath("/org/freedesktop/secrets")
	loginCollection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	serviceIface    = "org.freedesktop.Secret.Service"
	collectionIface = "org.freedesktop.Secret.Collection"
)

// probe asks, over a connection that ends with ctx, what go-keyring does not report: whether a bus and a secret service
// answer, and whether the collection that go-keyring will use is locked. It also keeps go-keyring from running
// dbus-launch, which would leave a daemon behind where there is no bus. Windows and macOS have nothing to probe.
func probe(ctx context.Context) (locked bool, err error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return false, nil
	}
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err == nil {
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		err = conn.Auth(nil)
	}
	if err == nil {
		err = conn.Hello()
	}
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	// go-keyring uses the collection "login" if there is one, else the default. The first call starts the service where the
	// bus can do that.
	service := conn.Object(secretsName, secretsPath)
	collections, err := getProperty(ctx, service, serviceIface, "Collections")
	if kindOf(err) != nil {
		return false, err
	}
	collection := loginCollection
	if paths, _ := collections.([]dbus.ObjectPath); !slices.Contains(paths, loginCollection) {
		if err := service.CallWithContext(ctx, serviceIface+".ReadAlias", 0, "default").Store(&collection); err != nil {
			return false, err
		}
		if collection == "/" {
			return false, fmt.Errorf("%w: the secret service has no default collection; create one (in Seahorse: "+
				"\"Passwords and Keys\"; in KeePassXC: open a database)", ErrAbsent)
		}
	}
	property, _ := getProperty(ctx, conn.Object(secretsName, collection), collectionIface, "Locked")
	locked, _ = property.(bool) // go-keyring does not need to know either
	return locked, nil
}

func getProperty(ctx context.Context, object dbus.BusObject, iface, name string) (any, error) {
	var v dbus.Variant
	err := object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, iface, name).Store(&v)
	return v.Value(), err
}

// kindOf returns which of the Err… values an error of go-keyring or of the keyring behind it means; nil if it is not known.
func kindOf(err error) error {
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooLarge
	case errors.Is(err, keyring.ErrUnsupportedPlatform), errors.Is(err, exec.ErrNotFound), errors.Is(err, dbus.ErrClosed):
		return ErrAbsent
	}
	if e, ok := errors.AsType[dbus.Error](err); ok {
		// https://dbus.freedesktop.org/doc/api/html/group__DBusProtocol.html
		bus, isBus := strings.CutPrefix(e.Name, "org.freedesktop.DBus.Error.")
		switch {
		case bus == "Timeout" || bus == "TimedOut":
			return ErrTimeout
		case isBus && bus != "Failed": // there is no service of that name, it left the bus, or it cannot be started
			return ErrAbsent
		}
		return map[string]error{
			"org.freedesktop.Secret.Error.IsLocked": ErrLocked, "org.freedesktop.Secret.Error.NoSuchObject": ErrNotFound,
		}[e.Name]
	}
	if code, ok := errors.AsType[syscall.Errno](err); ok && runtime.GOOS == "windows" { // winerror.h
		return map[syscall.Errno]error{
			1168: ErrNotFound,
			1312: ErrAbsent,   // ERROR_NO_SUCH_LOGON_SESSION: network logons have no credential set
			1783: ErrTooLarge, // RPC_X_BAD_STUB_DATA: the value is longer than it takes
		}[code]
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok { // of security(1): the low byte of an OSStatus (SecBase.h)
		return map[int]error{
			36: ErrLocked, 51: ErrLocked, 128: ErrLocked, // interaction not allowed, authentication failed, user canceled
			37: ErrAbsent, 50: ErrAbsent, // no default keychain, no such keychain
		}[exit.ExitCode()]
	}
	return nil
}
