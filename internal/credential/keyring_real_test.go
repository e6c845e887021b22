//go:build linux

package credential

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"
)

const secretSession = "org.freedesktop.Secret.Session.Close"

// answersWithin is the keyring's deadline and what a loaded machine adds to it.
const answersWithin = KeyringTimeout + time.Second

// needRealKeyring skips unless the session is one that .ci/with-keyring made: these
// tests lock the login keyring and write to it.
func needRealKeyring(t *testing.T) {
	t.Helper()
	if os.Getenv("PAYCTL_TEST_REAL_KEYRING") != "1" {
		t.Skip("wants a throw-away keyring: run .ci/with-keyring go test ./internal/credential/")
	}
}

// sessionBus is a connection of the test's own to the session bus.
func sessionBus(t *testing.T) *dbus.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // all calls on it end then
	t.Cleanup(cancel)
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func lockLogin(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	require.NoError(t, conn.Object(secretsName, secretsPath).
		Call(serviceIface+".Lock", 0, []dbus.ObjectPath{loginCollection}).Store(&locked, &prompt))
	require.Equal(t, []dbus.ObjectPath{loginCollection}, locked)
}

// unlockLogin gives the password without a dialog, which only gnome-keyring can.
func unlockLogin(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	svc := conn.Object(secretsName, secretsPath)
	var out dbus.Variant
	var session dbus.ObjectPath
	require.NoError(t, svc.Call(serviceIface+".OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&out, &session))
	defer conn.Object(secretsName, session).Call(secretSession, 0)
	master := struct {
		Session     dbus.ObjectPath
		Parameters  []byte
		Value       []byte
		ContentType string
	}{session, nil, []byte(os.Getenv("PAYCTL_TEST_KEYRING_PASSWORD")), "text/plain"}
	const method = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword"
	require.NoError(t, svc.Call(method, 0, loginCollection, master).Err)
}

func TestRealKeyring(t *testing.T) {
	needRealKeyring(t)
	s := NewKeyring(KeyringTimeout)
	exercise(t, s)

	t.Run("as others see it", func(t *testing.T) {
		require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
		value, err := keyring.Get("payctl", "local@http://127.0.0.1:8700")
		require.NoError(t, err)
		require.Contains(t, value, `"access_token":"t0k3n-value"`)
		require.NoError(t, s.Delete(t.Context(), testKey))
	})
	t.Run("large", func(t *testing.T) {
		l := testLogin()
		l.AccessToken = strings.Repeat("t", 60<<10)
		require.NoError(t, s.Set(t.Context(), testKey, l))
		got, err := s.Get(t.Context(), testKey)
		require.NoError(t, err)
		require.True(t, got == l)
		require.NoError(t, s.Delete(t.Context(), testKey))
	})
	t.Run("corrupt", func(t *testing.T) {
		require.NoError(t, keyring.Set("payctl", "local@http://127.0.0.1:8700", "not ours"))
		_, err := s.Get(t.Context(), testKey)
		require.ErrorIs(t, err, ErrCorrupt)
		require.NoError(t, s.Delete(t.Context(), testKey), "a logout mends it")
	})
}

func TestRealKeyringLocked(t *testing.T) {
	needRealKeyring(t)
	s, conn := NewKeyring(KeyringTimeout), sessionBus(t)
	require.NoError(t, s.Set(t.Context(), testKey, testLogin()))
	lockLogin(t, conn)
	requireWithin(t, answersWithin, s, ErrLocked)
	unlockLogin(t, conn)
	got, err := s.Get(t.Context(), testKey)
	require.NoError(t, err)
	require.True(t, got == testLogin(), "what was stored outlasts the refused calls: %s", got)
	require.NoError(t, s.Delete(t.Context(), testKey))
}

func TestRealKeyringWithoutADefaultCollection(t *testing.T) {
	needRealKeyring(t)
	bus := startBus(t, openPolicy)
	home := t.TempDir()
	daemon := exec.Command("gnome-keyring-daemon", "--foreground", "--components=secrets",
		"--control-directory="+filepath.Join(home, "control"))
	daemon.Env = append(os.Environ(), busVariable+"="+bus, "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home)
	require.NoError(t, daemon.Start())
	t.Cleanup(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
	t.Setenv(busVariable, bus)
	conn := sessionBus(t)
	require.Eventually(t, func() bool {
		var owned bool
		err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, secretsName).Store(&owned)
		return err == nil && owned
	}, 5*time.Second, 10*time.Millisecond)

	_, err := NewKeyring(KeyringTimeout).Get(t.Context(), testKey)
	require.ErrorIs(t, err, ErrAbsent)
	require.ErrorContains(t, err, "no default collection")
}

func TestRealBusWithoutASecretService(t *testing.T) {
	needRealKeyring(t)
	t.Setenv(busVariable, startBus(t, openPolicy))
	requireWithin(t, time.Second, NewKeyring(KeyringTimeout), ErrAbsent)
}

func TestRealSilentBus(t *testing.T) {
	needRealKeyring(t)
	t.Setenv(busVariable, silentBus(t))
	requireWithin(t, answersWithin, NewKeyring(KeyringTimeout), ErrTimeout)
}

func TestRealBusThatWithholdsAnswers(t *testing.T) {
	needRealKeyring(t)
	before := goleak.IgnoreCurrent()
	t.Run("calls", func(t *testing.T) {
		t.Setenv(busVariable, startBus(t, mutePolicy))
		requireWithin(t, answersWithin, NewKeyring(100*time.Millisecond), ErrTimeout)
	})
	goleak.VerifyNone(t, before)
}

const (
	openPolicy = `<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>`
	mutePolicy = `<allow send_destination="*"/>` // every answer is withheld, even that to Hello
)

// startBus runs a D-Bus daemon that can start no service and returns its address.
func startBus(t *testing.T, policy string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "bus.conf")
	require.NoError(t, os.WriteFile(config, []byte(`<busconfig>
  <type>session</type><listen>unix:dir=`+dir+`</listen><auth>EXTERNAL</auth>
  <policy context="default">`+policy+`</policy>
</busconfig>`), 0o600))
	daemon := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile", "--print-address")
	out, err := daemon.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, daemon.Start())
	t.Cleanup(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}
