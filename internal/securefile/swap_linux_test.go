package securefile_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/securefile/swaptest"
)

const good, bad = "the user's", "the victim's"

// prepare makes a folder with a file, and another one with a file of the same name.
func prepare(t *testing.T) (path, victim string) {
	t.Helper()
	above := t.TempDir()
	path, victim = filepath.Join(above, "folder", "file"), filepath.Join(above, "victim", "file")
	for file, text := range map[string]string{path: good, victim: bad, victim + securefile.TempSuffix: bad} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return path, victim
}

// What another user exchanges while it is opened or written is neither read nor changed.
func TestFilesThatAreExchanged(t *testing.T) {
	t.Parallel()
	for name, attempt := range map[string]func(t *testing.T, path string){
		"read": func(t *testing.T, path string) {
			text, err := securefile.Read(path, 100, securefile.GroupAndOthers, "")
			if err == nil {
				require.Equal(t, good, string(text))
			}
		},
		"replace": func(_ *testing.T, path string) { _ = securefile.Replace(path, []byte(good)) },
		"write":   func(_ *testing.T, path string) { _ = securefile.Write(path, []byte(good)) },
		"remove": func(_ *testing.T, path string) {
			_ = securefile.Remove(path)
			_ = securefile.Replace(path, []byte(good))
		},
		"lock": func(t *testing.T, path string) {
			if release, err := securefile.Lock(t.Context(), path, time.Millisecond); err == nil {
				release()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, victim := prepare(t)
			swaptest.Run(t, path, victim, 0, func() { attempt(t, path) })
			if name == "write" { // the folder is one that the user has named, and may be a link
				return
			}
			path, victim = prepare(t)
			swaptest.Run(t, filepath.Dir(path), filepath.Dir(victim), 0, func() { attempt(t, path) })
			path, victim = prepare(t)
			require.NoError(t, os.Remove(victim)) // nothing is created either
			swaptest.Run(t, filepath.Dir(path), filepath.Dir(victim), 0, func() { attempt(t, path) })
		})
	}
}
