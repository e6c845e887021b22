package testkit

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// BusVariable is the environment variable with the address of the session bus.
const BusVariable = "DBUS_SESSION_BUS_ADDRESS"

// startTimeout is how long a daemon may take to start on a loaded machine.
const startTimeout = 30 * time.Second

// tempDir creates a folder with a short path: the path of a socket has at most 107 bytes.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// runDaemon starts a daemon that is killed when the test ends. Without the daemon the test is skipped; in CI it fails.
// Other systems than Linux skip it: their keyring belongs to the user.
func runDaemon(t testing.TB, daemon *exec.Cmd) {
	t.Helper()
	if runtime.GOOS != "linux" || daemon.Err != nil && os.Getenv("CI") == "" {
		t.Skip("this test needs Linux with dbus and gnome-keyring")
	}
	require.NoError(t, daemon.Start(), ".ci/install-packages installs it")
	t.Cleanup(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
}

// StartBus runs a D-Bus daemon that cannot start services, and returns its address.
func StartBus(t testing.TB) string {
	t.Helper()
	dir := tempDir(t)
	config := filepath.Join(dir, "bus.conf")
	require.NoError(t, os.WriteFile(config, []byte(`<busconfig>
  <type>session</type><listen>unix:dir=`+dir+`</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>`), 0o600))
	daemon := exec.CommandContext(context.Background(), "dbus-daemon", //nolint:gosec // a folder of this test
		"--config-file="+config, "--nofork", "--nopidfile", "--print-address")
	stdout, err := daemon.StdoutPipe()
	require.NoError(t, err)
	runDaemon(t, daemon)
	address, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// StartSilentBus returns the address of a bus that accepts connections but never answers. The system accepts them for a
// listener.
func StartSilentBus(t testing.TB) string {
	t.Helper()
	path := filepath.Join(tempDir(t), "bus")
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return "unix:path=" + path
}

// Names of the Secret Service API, https://specifications.freedesktop.org/secret-service/.
const (
	secretsName     = "org.freedesktop.secrets"
	secretsPath     = dbus.ObjectPath("/org/freedesktop/secrets")
	loginCollection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	serviceIface    = "org.freedesktop.Secret.Service"
	collectionIface = "org.freedesktop.Secret.Collection"
)

// A Keyring is a running gnome-keyring-daemon.
type Keyring struct {
	t    testing.TB
	conn *dbus.Conn
}

// StartKeyring starts a gnome-keyring-daemon with an unlocked login keyring, its own home and its own bus. It returns
// the keyring and the address of the bus.
func StartKeyring(t testing.TB) (ring *Keyring, bus string) {
	t.Helper()
	bus = StartBus(t)
	home := tempDir(t)
	daemon := exec.CommandContext(context.Background(), "gnome-keyring-daemon", //nolint:gosec // a folder of this test
		"--foreground", "--components=secrets", "--control-directory="+filepath.Join(home, "control"), "--unlock")
	daemon.Stdin = strings.NewReader("throw-away")
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		isDisplay := name == "DISPLAY" || name == "WAYLAND_DISPLAY"
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "GNOME_") && !isDisplay {
			daemon.Env = append(daemon.Env, entry)
		}
	}
	daemon.Env = append(daemon.Env, BusVariable+"="+bus, "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home)
	runDaemon(t, daemon)
	ctx, cancel := context.WithTimeout(context.Background(), 2*startTimeout) // ends all calls on the connection
	t.Cleanup(cancel)
	conn, err := dbus.Connect(bus, dbus.WithContext(ctx))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	k := &Keyring{t, conn}
	require.Eventually(t, func() bool {
		var path dbus.ObjectPath
		err := k.service().Call(serviceIface+".ReadAlias", 0, "default").Store(&path)
		return err == nil && path == loginCollection
	}, startTimeout, 10*time.Millisecond)
	return k, bus
}

func (k *Keyring) service() dbus.BusObject { return k.conn.Object(secretsName, secretsPath) }

func (k *Keyring) collection() dbus.BusObject { return k.conn.Object(secretsName, loginCollection) }

// Lock locks the login keyring.
func (k *Keyring) Lock() {
	k.t.Helper()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	call := k.service().Call(serviceIface+".Lock", 0, []dbus.ObjectPath{loginCollection})
	require.NoError(k.t, call.Store(&locked, &prompt))
	require.Equal(k.t, []dbus.ObjectPath{loginCollection}, locked)
}

// secret is the structure of the Secret Service API, section "Secret".
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// secret returns a value in a new session, which ends with the connection.
func (k *Keyring) secret(value string) secret {
	k.t.Helper()
	s := secret{Value: []byte(value), ContentType: "text/plain"}
	var out dbus.Variant
	call := k.service().Call(serviceIface+".OpenSession", 0, "plain", dbus.MakeVariant(""))
	require.NoError(k.t, call.Store(&out, &s.Session))
	return s
}

func attributes(user string) map[string]string {
	return map[string]string{"service": "payctl", "username": user}
}

// Hold replaces the value of payctl's item for a user name, as another program may do.
func (k *Keyring) Hold(user, value string) {
	k.t.Helper()
	properties := map[string]dbus.Variant{
		"org.freedesktop.Secret.Item.Label":      dbus.MakeVariant("by another program"),
		"org.freedesktop.Secret.Item.Attributes": dbus.MakeVariant(attributes(user)),
	}
	require.NoError(k.t, k.collection().Call(collectionIface+".CreateItem", 0, properties, k.secret(value), true).Err)
}

// Held returns the value of payctl's item for a user name, or "".
func (k *Keyring) Held(user string) string {
	k.t.Helper()
	var found []dbus.ObjectPath
	require.NoError(k.t, k.collection().Call(collectionIface+".SearchItems", 0, attributes(user)).Store(&found))
	if len(found) == 0 {
		return ""
	}
	var held map[dbus.ObjectPath]secret
	call := k.service().Call(serviceIface+".GetSecrets", 0, found[:1], k.secret("").Session)
	require.NoError(k.t, call.Store(&held))
	return string(held[found[0]].Value)
}
