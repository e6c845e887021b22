package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/securefile/swaptest"
)

// A configuration that is exchanged while it is loaded or saved is neither read from another place nor written to one.
func TestConfigurationThatIsExchanged(t *testing.T) {
	t.Parallel()
	another := 4711
	if os.Geteuid() != 0 {
		another = 0 // only root can give a link away
	}
	for _, folder := range []bool{false, true} {
		above := t.TempDir()
		dir, victim := filepath.Join(above, "config"), filepath.Join(above, "victim")
		for at, text := range map[string]string{dir: "current: local\n", victim: "profiles: {victim: {base_url: https://evil.example}}\n"} {
			require.NoError(t, os.Mkdir(at, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(at, FileName), []byte(text), 0o600))
		}
		path, to := filepath.Join(dir, FileName), filepath.Join(victim, FileName)
		if folder {
			path, to = dir, victim
		}
		t.Run(fmt.Sprint("folder ", folder), func(t *testing.T) {
			t.Parallel()
			loaded := 0
			swaptest.Run(t, path, to, another, func() {
				f, err := Load(dir, nil)
				if err != nil {
					return
				}
				loaded++
				if another != 0 { // the user's own link may be followed
					require.NotContains(t, f.Profiles(), "victim")
				}
				_ = f.Set("mine", KeyBaseURL, fmt.Sprintf("https://%d.example.com", loaded))
			})
			require.Positive(t, loaded)
		})
	}
}
