package keyringtest

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/danieljoos/wincred"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// A Manager is the Credential Manager of the user who runs the tests. All tests share it, so each uses user names of its
// own, which end with the port of its service.
type Manager struct{ t testing.TB }

// Start returns the Credential Manager; there is no bus. It skips the test unless the user exists for tests only, as in
// CI and in Wine.
func Start(t testing.TB) (ring *Manager, bus string) {
	t.Helper()
	wine := windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
	if os.Getenv("CI") == "" && !wine {
		t.Skip("the Credential Manager is its user's own; set CI=true to let tests write to it")
	}
	return &Manager{t}, ""
}

// Hold implements [System].
func (m *Manager) Hold(user, value string) {
	m.t.Helper()
	item := wincred.NewGenericCredential(target(user))
	item.UserName, item.CredentialBlob = user, []byte(value)
	require.NoError(m.t, item.Write())
}

// Held implements [System].
func (m *Manager) Held(user string) string {
	m.t.Helper()
	item, err := wincred.GetGenericCredential(target(user))
	if errors.Is(err, wincred.ErrElementNotFound) {
		return ""
	}
	require.NoError(m.t, err)
	return string(item.CredentialBlob)
}

// Clear deletes the items of all user names with an ending, which a test leaves behind.
func (m *Manager) Clear(ending string) {
	m.t.Helper()
	all, err := wincred.FilteredList(target("*"))
	require.NoError(m.t, err)
	for _, one := range all {
		if strings.HasSuffix(one.TargetName, ending) {
			item := wincred.GenericCredential{Credential: *one}
			err := item.Delete()
			// Wine answers with the second error if a service of it that this call uses does not run.
			if !errors.Is(err, wincred.ErrElementNotFound) && !errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
				require.NoError(m.t, err)
			}
		}
	}
}

// target is the name of the credential of a user name.
func target(user string) string { return service + ":" + user }
