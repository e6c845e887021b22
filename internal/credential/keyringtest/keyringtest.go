// Package keyringtest gives tests D-Bus session buses and Secret Services of their own: the real gnome-keyring-daemon, whose
// dialogs are answered or left alone, and a service that misbehaves when told to. Nothing in it touches the bus, the
// keyring or the home of whoever runs the tests.
package keyringtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// Variable names the session bus, for this process and for those that it starts.
const Variable = "DBUS_SESSION_BUS_ADDRESS"

// Password unlocks the keyrings that this package makes.
const Password = "throw-away"

// Policies of [Bus].
const (
	Open = `<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>`
	Mute = `<allow send_destination="*"/>` // every answer is withheld, even that to Hello
)

// patience is how long a daemon may take to start, and a test may use a connection.
const patience = 30 * time.Second

// Need skips the test where a program is missing, but not in CI, where all have to be there.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing; .ci/install-packages installs it", program)
			}
			t.Skipf("%s is missing: install dbus and gnome-keyring", program)
		}
	}
}

// folder is a short one: the name of a socket has at most 107 bytes.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// run starts a program that is killed when the test ends, and returns how to kill it sooner.
func run(t testing.TB, cmd *exec.Cmd) (kill func()) {
	t.Helper()
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	kill = func() { _ = cmd.Process.Kill(); <-ended }
	t.Cleanup(kill)
	return kill
}

// Bus runs a D-Bus daemon that can start no service by itself, and returns its address.
func Bus(t testing.TB, policy string) string {
	t.Helper()
	Need(t, "dbus-daemon")
	dir := folder(t)
	config := filepath.Join(dir, "bus.conf")
	require.NoError(t, os.WriteFile(config, []byte(`<busconfig>
  <type>session</type><listen>unix:dir=`+dir+`</listen><auth>EXTERNAL</auth>
  <policy context="default">`+policy+`</policy>
</busconfig>`), 0o600))
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	daemon := exec.CommandContext(context.Background(), "dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile", "--print-address") //nolint:gosec // a folder of this test
	daemon.Stdout = write
	run(t, daemon)
	require.NoError(t, write.Close())
	address, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// Silent is the address of a bus that accepts connections, reads what comes and never answers.
func Silent(t testing.TB) string {
	t.Helper()
	path := filepath.Join(folder(t), "bus")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	return "unix:path=" + path
}

// Connect is a connection of the test's own to a bus.
func Connect(t testing.TB, address string) *dbus.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience) // all calls on it end then
	t.Cleanup(cancel)
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Names of the Secret Service API and of gnome-keyring's own.
const (
	secretsName     = "org.freedesktop.secrets"
	secretsPath     = dbus.ObjectPath("/org/freedesktop/secrets")
	loginCollection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	serviceIface    = "org.freedesktop.Secret.Service"
	sessionClose    = "org.freedesktop.Secret.Session.Close"
	unlockMethod    = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword"
)

// A Keyring is a running gnome-keyring-daemon.
type Keyring struct {
	t    testing.TB
	conn *dbus.Conn
	// Kill ends it as kill -9 does.
	Kill func()
}

// Gnome runs a gnome-keyring-daemon on the bus, in a home of its own: with a login keyring that [Password] unlocks and that is
// open, or with no keyring at all.
func Gnome(t testing.TB, bus string, login bool) *Keyring {
	t.Helper()
	Need(t, "gnome-keyring-daemon")
	home := folder(t)
	daemon := exec.CommandContext(context.Background(), "gnome-keyring-daemon", "--foreground", "--components=secrets", "--control-directory="+filepath.Join(home, "control")) //nolint:gosec // a folder of this test
	if login {
		daemon.Args = append(daemon.Args, "--unlock")
		daemon.Stdin = strings.NewReader(Password)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "GNOME_") && name != "DISPLAY" && name != "WAYLAND_DISPLAY" {
			daemon.Env = append(daemon.Env, entry)
		}
	}
	daemon.Env = append(daemon.Env, Variable+"="+bus, "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home)
	k := &Keyring{t: t, conn: Connect(t, bus)}
	k.Kill = run(t, daemon)
	wait(t, k.conn, secretsName)
	if login {
		require.Eventually(t, func() bool {
			var path dbus.ObjectPath
			err := k.conn.Object(secretsName, secretsPath).Call(serviceIface+".ReadAlias", 0, "default").Store(&path)
			return err == nil && path == loginCollection
		}, patience, 10*time.Millisecond)
	}
	return k
}

// wait returns when somebody owns the name.
func wait(t testing.TB, conn *dbus.Conn, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var owned bool
		err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)
		return err == nil && owned
	}, patience, 10*time.Millisecond)
}

// Lock locks the login keyring.
func (k *Keyring) Lock() {
	k.t.Helper()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	require.NoError(k.t, k.conn.Object(secretsName, secretsPath).
		Call(serviceIface+".Lock", 0, []dbus.ObjectPath{loginCollection}).Store(&locked, &prompt))
	require.Equal(k.t, []dbus.ObjectPath{loginCollection}, locked)
}

// Unlock gives the password without a dialog, which only gnome-keyring can.
func (k *Keyring) Unlock() {
	k.t.Helper()
	secret, end := k.secret(Password)
	defer end()
	require.NoError(k.t, k.conn.Object(secretsName, secretsPath).Call(unlockMethod, 0, loginCollection, secret).Err)
}

// Item puts an item into the login keyring, as any other program may.
func (k *Keyring) Item(attributes map[string]string, value string) {
	k.t.Helper()
	secret, end := k.secret(value)
	defer end()
	properties := map[string]dbus.Variant{
		"org.freedesktop.Secret.Item.Label":      dbus.MakeVariant("by another program"),
		"org.freedesktop.Secret.Item.Attributes": dbus.MakeVariant(attributes),
	}
	var item, prompt dbus.ObjectPath
	require.NoError(k.t, k.conn.Object(secretsName, loginCollection).
		Call("org.freedesktop.Secret.Collection.CreateItem", 0, properties, secret, false).Store(&item, &prompt))
	require.Equal(k.t, dbus.ObjectPath("/"), prompt)
}

// Items counts the items of the login keyring that have the attributes.
func (k *Keyring) Items(attributes map[string]string) int {
	k.t.Helper()
	var found []dbus.ObjectPath
	require.NoError(k.t, k.conn.Object(secretsName, loginCollection).
		Call("org.freedesktop.Secret.Collection.SearchItems", 0, attributes).Store(&found))
	return len(found)
}

func (k *Keyring) secret(value string) (s secret, end func()) {
	k.t.Helper()
	var out dbus.Variant
	require.NoError(k.t, k.conn.Object(secretsName, secretsPath).
		Call(serviceIface+".OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&out, &s.Session))
	s.Value, s.ContentType = []byte(value), "text/plain"
	return s, func() { k.conn.Object(secretsName, s.Session).Call(sessionClose, 0) }
}

// secret is the structure of the Secret Service API, section "Secret".
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// String tells that a value of this type is asked for, not what it is.
func (s secret) String() string { return fmt.Sprintf("a secret of %d bytes", len(s.Value)) }
