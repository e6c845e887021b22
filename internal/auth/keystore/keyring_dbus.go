//go:build linux || netbsd || openbsd || (freebsd && cgo) || (dragonfly && cgo)

package keystore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// FindKeyring is what a user can do who has no keyring but wants one.
const FindKeyring = "start a secret service (gnome-keyring, KWallet or KeePassXC) in this session"

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
// dbus-launch, which would leave a daemon behind where there is no bus.
func probe(ctx context.Context) (locked bool, err error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err == nil {
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		err = conn.Auth(nil)
	}
	if err == nil {
		err = conn.Hello()
	}
	if err != nil {
		return false, &Error{Kind: ErrAbsent, Cause: err}
	}
	// The first call starts the service where the bus can do that.
	collection, err := findCollection(ctx, conn.Object(secretsName, secretsPath))
	if err != nil {
		return false, err
	}
	property, err := getProperty(ctx, conn.Object(secretsName, collection), collectionIface, "Locked")
	if err != nil {
		return false, nil //nolint:nilerr // go-keyring does not need to know either
	}
	locked, _ = property.(bool)
	return locked, nil
}

// findCollection chooses as go-keyring does: "login" if there is one, else the default.
func findCollection(ctx context.Context, svc dbus.BusObject) (dbus.ObjectPath, error) {
	property, err := getProperty(ctx, svc, serviceIface, "Collections")
	if err != nil && platformKind(err) != nil {
		return "", err
	}
	if paths, _ := property.([]dbus.ObjectPath); slices.Contains(paths, loginCollection) {
		return loginCollection, nil
	}
	var path dbus.ObjectPath
	if err := svc.CallWithContext(ctx, serviceIface+".ReadAlias", 0, "default").Store(&path); err != nil {
		return "", err
	}
	if path == "/" {
		return "", &Error{
			Kind: ErrAbsent, Cause: errors.New("the secret service has no default collection"),
			next: "create a default keyring (in Seahorse: \"Passwords and Keys\"; in KeePassXC: open a database), " +
				"or " + useFile,
		}
	}
	return path, nil
}

func getProperty(ctx context.Context, object dbus.BusObject, iface, name string) (any, error) {
	var v dbus.Variant
	err := object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, iface, name).Store(&v)
	return v.Value(), err
}

// platformKind maps the names of D-Bus errors (https://dbus.freedesktop.org/doc/api/html/group__DBusProtocol.html).
func platformKind(err error) error {
	if errors.Is(err, dbus.ErrClosed) {
		return ErrAbsent
	}
	e, ok := errors.AsType[dbus.Error](err)
	if !ok {
		return nil
	}
	if bus, ok := strings.CutPrefix(e.Name, "org.freedesktop.DBus.Error."); ok {
		switch bus {
		case "ServiceUnknown", "NameHasNoOwner", "NoServer", "Disconnected", "AccessDenied",
			"NoReply": // the service left the bus; the bus itself waits for a reply for longer than any call
			return ErrAbsent
		case "Timeout", "TimedOut":
			return ErrTimeout
		}
		if strings.HasPrefix(bus, "Spawn.") {
			return ErrAbsent
		}
		return nil
	}
	switch e.Name {
	case "org.freedesktop.Secret.Error.IsLocked":
		return ErrLocked
	case "org.freedesktop.Secret.Error.NoSuchObject":
		return ErrNotFound
	}
	return nil
}
