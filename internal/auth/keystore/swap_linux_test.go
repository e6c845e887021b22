package keystore

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile/swaptest"
)

// A credential file that is exchanged while it is used is neither read from another place nor written to one.
func TestFileThatIsExchanged(t *testing.T) {
	t.Parallel()
	for _, folder := range []bool{false, true} {
		above := t.TempDir()
		dir, victim := filepath.Join(above, "state"), filepath.Join(above, "victim")
		of := testLogin()
		of.AccessToken = "the victim's token"
		require.NoError(t, NewFile(victim).Set(t.Context(), testKey, of))
		require.NoError(t, NewFile(dir).Set(t.Context(), testKey, testLogin()))
		path, to := filepath.Join(dir, fileName), filepath.Join(victim, fileName)
		if folder {
			path, to = dir, victim
		}
		t.Run(fmt.Sprint("folder ", folder), func(t *testing.T) {
			t.Parallel()
			s := &fileStore{dir: dir, lockTimeout: 10 * time.Millisecond}
			read := 0
			swaptest.Run(t, path, to, 0, func() {
				if got, err := s.Get(t.Context(), testKey); err == nil {
					read++
					require.True(t, got == testLogin(), "%s", got)
				}
				_ = s.Delete(t.Context(), testKey)
				_ = s.Set(t.Context(), testKey, testLogin())
			})
			require.Positive(t, read)
		})
	}
}
