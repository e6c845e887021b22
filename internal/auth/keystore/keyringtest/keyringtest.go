// Package keyringtest starts D-Bus session buses and the real gnome-keyring-daemon for tests. Nothing in it touches the
// bus, the keyring or the home of the user who runs the tests; except on Windows, where each user has one Credential
// Manager.
package keyringtest

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// Variable is the environment variable with the address of the session bus.
const Variable = "DBUS_SESSION_BUS_ADDRESS"

// Password unlocks the keyrings that this package makes.
const Password = "throw-away"

// startTimeout is how long a daemon may take to start on a loaded machine.
const startTimeout = 30 * time.Second

// need skips the test if a program is missing. In CI it fails the test.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing; .ci/install-packages installs it", program)
		}
		t.Skipf("%s is missing: install dbus and gnome-keyring", program)
	}
}

// tempDir creates a folder with a short path: the name of a socket has at most 107 bytes.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// run starts a program, which is killed when the test ends. The function that it returns kills it before that.
func run(t testing.TB, cmd *exec.Cmd) (kill func()) {
	t.Helper()
	require.NoError(t, cmd.Start())
	kill = sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	t.Cleanup(kill)
	return kill
}

// Bus runs a D-Bus daemon that can start no service by itself, and returns its address.
func Bus(t testing.TB) string {
	t.Helper()
	need(t, "dbus-daemon")
	dir := tempDir(t)
	config := filepath.Join(dir, "bus.conf")
	require.NoError(t, os.WriteFile(config, []byte(`<busconfig>
  <type>session</type><listen>unix:dir=`+dir+`</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`), 0o600))
	daemon := exec.CommandContext(context.Background(), "dbus-daemon", //nolint:gosec // a folder of this test
		"--config-file="+config, "--nofork", "--nopidfile", "--print-address")
	stdout, err := daemon.StdoutPipe()
	require.NoError(t, err)
	run(t, daemon)
	address, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// Silent is the address of a bus that accepts connections and never answers: the system accepts them for a listener.
func Silent(t testing.TB) string {
	t.Helper()
	path := filepath.Join(tempDir(t), "bus")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return "unix:path=" + path
}

// Connect connects the test to a bus.
func Connect(t testing.TB, address string) *dbus.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*startTimeout) // all calls on it end then
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
	collectionIface = "org.freedesktop.Secret.Collection"
	propertiesIface = "org.freedesktop.DBus.Properties"
	sessionClose    = "org.freedesktop.Secret.Session.Close"
	unlockMethod    = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword"
)

// A Keyring is a running gnome-keyring-daemon.
type Keyring struct {
	t    testing.TB
	conn *dbus.Conn
	// Kill ends it like kill -9.
	Kill func()
}

// Gnome runs a gnome-keyring-daemon on the bus, in a home of its own: with an unlocked login keyring whose password is
// [Password], or with no keyring at all.
func Gnome(t testing.TB, bus string, login bool) *Keyring {
	t.Helper()
	need(t, "gnome-keyring-daemon")
	home := tempDir(t)
	daemon := exec.CommandContext(context.Background(), "gnome-keyring-daemon", //nolint:gosec // a folder of this test
		"--foreground", "--components=secrets", "--control-directory="+filepath.Join(home, "control"))
	if login {
		daemon.Args = append(daemon.Args, "--unlock")
		daemon.Stdin = strings.NewReader(Password)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		isDisplay := name == "DISPLAY" || name == "WAYLAND_DISPLAY"
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "GNOME_") && !isDisplay {
			daemon.Env = append(daemon.Env, entry)
		}
	}
	daemon.Env = append(daemon.Env, Variable+"="+bus, "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home)
	k := &Keyring{t: t, conn: Connect(t, bus)}
	k.Kill = run(t, daemon)
	waitForOwner(t, k.conn, secretsName)
	if login {
		require.Eventually(t, func() bool {
			var path dbus.ObjectPath
			err := k.conn.Object(secretsName, secretsPath).Call(serviceIface+".ReadAlias", 0, "default").Store(&path)
			return err == nil && path == loginCollection
		}, startTimeout, 10*time.Millisecond)
	}
	return k
}

// waitForOwner returns when a connection owns the name.
func waitForOwner(t testing.TB, conn *dbus.Conn, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var owned bool
		err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned)
		return err == nil && owned
	}, startTimeout, 10*time.Millisecond)
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

// Unlock gives the password without a dialog, by an interface of gnome-keyring alone.
func (k *Keyring) Unlock() {
	k.t.Helper()
	secret, end := k.secret(Password)
	defer end()
	require.NoError(k.t, k.conn.Object(secretsName, secretsPath).Call(unlockMethod, 0, loginCollection, secret).Err)
}

// Item stores an item in the login keyring, as another program may do.
func (k *Keyring) Item(attributes map[string]string, value string) {
	k.t.Helper()
	k.create(attributes, value, false)
}

// create stores an item, in place of one of the same attributes if it is to replace that.
func (k *Keyring) create(attributes map[string]string, value string, replace bool) {
	k.t.Helper()
	secret, end := k.secret(value)
	defer end()
	properties := map[string]dbus.Variant{
		"org.freedesktop.Secret.Item.Label":      dbus.MakeVariant("by another program"),
		"org.freedesktop.Secret.Item.Attributes": dbus.MakeVariant(attributes),
	}
	var item, prompt dbus.ObjectPath
	require.NoError(k.t, k.conn.Object(secretsName, loginCollection).
		Call(collectionIface+".CreateItem", 0, properties, secret, replace).Store(&item, &prompt))
	require.Equal(k.t, dbus.ObjectPath("/"), prompt)
}

// Items counts the items of the login keyring that have the attributes.
func (k *Keyring) Items(attributes map[string]string) int {
	k.t.Helper()
	return len(k.find(attributes))
}

func (k *Keyring) find(attributes map[string]string) (found []dbus.ObjectPath) {
	k.t.Helper()
	require.NoError(k.t, k.conn.Object(secretsName, loginCollection).
		Call(collectionIface+".SearchItems", 0, attributes).Store(&found))
	return found
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
