//go:build linux || netbsd || openbsd || (freebsd && cgo) || (dragonfly && cgo)

package credential

import (
	"context"
	"errors"
	"strings"

	"github.com/godbus/dbus/v5"
)

// Names of the Secret Service API, https://specifications.freedesktop.org/secret-service/.
const (
	secretsName     = "org.freedesktop.secrets"
	secretsPath     = dbus.ObjectPath("/org/freedesktop/secrets")
	loginCollection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	serviceIface    = "org.freedesktop.Secret.Service"
	collectionIface = "org.freedesktop.Secret.Collection"
)

// probe asks, over a connection of its own that ends with ctx, what go-keyring does not
// tell: whether a bus and a secret service answer, and whether the collection that
// go-keyring will use is locked. It also keeps go-keyring from running dbus-launch,
// which would leave a daemon behind where there is no bus. The connection stays until ctx
// ends: a service that goes away while go-keyring waits for a dialog would never be missed.
func probe(ctx context.Context, gone func()) (locked bool, err error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return false, absent(err)
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err := conn.Auth(nil); err != nil {
		return false, absent(err)
	}
	if err := conn.Hello(); err != nil {
		return false, absent(err)
	}
	svc := conn.Object(secretsName, secretsPath)

	// The first call starts the service where the bus knows how to.
	collection, err := findCollection(ctx, svc)
	if err != nil {
		return false, err
	}
	if err := watchOwner(ctx, conn, gone); err != nil {
		return false, err
	}
	var v dbus.Variant
	err = conn.Object(secretsName, collection).
		CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, collectionIface, "Locked").Store(&v)
	if err != nil {
		return false, nil //nolint:nilerr // go-keyring will do without knowing, too
	}
	locked, _ = v.Value().(bool)
	return locked, nil
}

// watchOwner calls gone when nobody owns the service's name any more, until ctx ends.
func watchOwner(ctx context.Context, conn *dbus.Conn, gone func()) error {
	signals := make(chan *dbus.Signal, 16) // more than there are; godbus drops none but of a full channel
	conn.Signal(signals)
	err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, secretsName))
	if err != nil {
		return err
	}
	go func() {
		for {
			select {
			case s, open := <-signals:
				if !open {
					return
				}
				var name, before, now string
				if dbus.Store(s.Body, &name, &before, &now) == nil && name == secretsName && now == "" {
					gone()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// findCollection makes go-keyring's choice: "login" if there is one, else the default.
func findCollection(ctx context.Context, svc dbus.BusObject) (dbus.ObjectPath, error) {
	var v dbus.Variant
	err := svc.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, serviceIface, "Collections").Store(&v)
	if err != nil && platformKind(err) != nil {
		return "", err
	}
	paths, _ := v.Value().([]dbus.ObjectPath)
	for _, p := range paths {
		if p == loginCollection {
			return p, nil
		}
	}
	var path dbus.ObjectPath
	if err := svc.CallWithContext(ctx, serviceIface+".ReadAlias", 0, "default").Store(&path); err != nil {
		return "", err
	}
	if path == "/" {
		return "", &kinded{
			kind: ErrAbsent, cause: errors.New("the secret service has no default collection"),
			next: "create a default keyring (in Seahorse: \"Passwords and Keys\"; in KeePassXC: open a database), or pass --credential-store file",
		}
	}
	return path, nil
}

func absent(err error) error {
	return &kinded{kind: ErrAbsent, cause: err}
}

// platformKind tells D-Bus errors apart by their names
// (https://dbus.freedesktop.org/doc/api/html/group__DBusProtocol.html).
func platformKind(err error) error {
	if errors.Is(err, dbus.ErrClosed) {
		return ErrAbsent
	}
	var e dbus.Error
	if !errors.As(err, &e) {
		return nil
	}
	if bus, ok := strings.CutPrefix(e.Name, "org.freedesktop.DBus.Error."); ok {
		switch bus {
		case "ServiceUnknown", "NameHasNoOwner", "NoServer", "Disconnected", "AccessDenied",
			"NoReply": // in the few seconds that a call takes no bus gives up: the service left it
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
