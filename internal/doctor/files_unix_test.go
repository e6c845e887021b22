//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/settings"
)

// TestWhatCommandsRefuseIsFound damages the files of payctl, one at a time. The doctor finds whatever a command
// refuses, and its fix works.
func TestWhatCommandsRefuseIsFound(t *testing.T) {
	t.Parallel()
	loose := func(path string) error { return os.Chmod(path, 0o666) }
	open := func(path string) error { return os.Chmod(path, 0o770) }
	linked := func(path string) error {
		if err := os.Rename(path, path+".real"); err != nil {
			return err
		}
		return os.Symlink(path+".real", path)
	}
	inTheWay := func(path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return os.WriteFile(path, nil, 0o600)
	}
	folder := func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Mkdir(path, 0o700)
	}
	for name, c := range map[string]struct {
		path  string
		spoil func(path string) error
	}{
		"credentials loose": {"state/credentials.json", loose}, "credentials linked": {"state/credentials.json", linked},
		"credentials a folder": {"state/credentials.json", folder},
		"lock loose":           {"state/credentials.lock", loose}, "lock linked": {"state/credentials.lock", linked},
		"state open": {"state", open}, "state linked": {"state", linked},
		"journal loose": {"state/journal.db", loose}, "journal linked": {"state/journal.db", linked},
		"journal a folder": {"state/journal.db", folder},
		"owners open":      {"state/journal.db.owners", open}, "owners linked": {"state/journal.db.owners", linked},
		"owners in the way":   {"state/journal.db.owners", inTheWay},
		"configuration loose": {"config.yaml", loose}, "configuration a folder": {"config.yaml", folder},
		"configuration folder open": {".", open},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := environment(t, "http://127.0.0.1:1")
			dir := e["PAYCTL_CONFIG_DIR"]
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, settings.FileName), nil, 0o600))
			use := func() error {
				if _, err := settings.Load(dir); err != nil {
					return err
				}
				store := keystore.Open(keystore.FileStore, filepath.Join(dir, "state"))[0]
				key := keystore.Key{Profile: "local", Origin: "http://127.0.0.1:1"}
				if err := store.Set(t.Context(), key, keystore.Login{ClientID: "c", AccessToken: "t"}); err != nil {
					return err
				}
				store.Lock(t.Context())()
				writes := &journal.Journal{Path: filepath.Join(dir, "state", journal.FileName), Now: time.Now}
				intents := []journal.PendingWrite{{Service: "https://a", Operation: "o", Key: "k", Fingerprint: "h"}}
				_, err := writes.Claim(t.Context(), intents, journal.Again)
				if closed := writes.Close(); err == nil {
					err = closed
				}
				return err
			}
			files := func() findings { return newExamination(t.Context(), subjectOf(e)).files(t.Context()) }
			require.NoError(t, use())
			require.Equal(t, OK, files()[0].Result, files()[0].Message)

			path := filepath.Join(dir, c.path)
			require.NoError(t, c.spoil(path))
			require.Error(t, use(), "this case damages nothing")
			found := files()
			require.Equal(t, Failed, found[0].Result, found[0].Message)
			require.Contains(t, found[0].Message, path)
			if !strings.HasPrefix(found[0].Next.String(), "chmod ") {
				return
			}
			mode := os.FileMode(0o600)
			if strings.HasPrefix(found[0].Next.String(), "chmod 700 ") || c.path == "." {
				mode = 0o700
			}
			require.NoError(t, os.Chmod(path, mode))
			require.NoError(t, use())
			require.Equal(t, OK, files()[0].Result)
		})
	}
}
