package serve

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

func TestFilesOfClients(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	d := &cmdutil.Deps{}
	for text, named := range map[string][]string{
		"a:b": {"a:b"}, "a:b\nc:d:e\n": {"a:b", "c:d:e"}, "# who may\r\na:b\r\n\nc:d:e": {"a:b", "c:d:e"}, "": nil, "# a:b\n": nil, "a": nil, "a:\n": nil, ":b": nil, "a:b\nsecret-of-nobody": nil,
		strings.Repeat("a:b\n", maxClientFile): nil,
	} {
		file := filepath.Join(folder, "clients")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		clients, err := readClients(t.Context(), d, file)
		if named != nil {
			require.NoError(t, err)
			require.Equal(t, named, clients)
			continue
		}
		require.ErrorIs(t, err, cmdutil.ErrUsage)
		require.NotContains(t, err.Error(), "secret-of-nobody")
	}
	_, err := readClients(t.Context(), d, filepath.Join(folder, "absent"))
	require.ErrorIs(t, err, cmdutil.ErrUsage)
	none, err := readClients(t.Context(), d, "")
	require.NoError(t, err)
	require.Empty(t, none)
}

// A file that another program is still writing is read when it is whole, or not at all.
func TestFilesOfClientsThatAreWritten(t *testing.T) {
	t.Parallel()
	written := func(t *testing.T, parts []string) ([]string, error) {
		file, err := os.Create(filepath.Join(t.TempDir(), "clients"))
		require.NoError(t, err)
		defer file.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, part := range parts {
				_, _ = file.WriteString(part)
				<-time.After(settleTime * 3 / 5)
			}
		}()
		clients, err := readClients(t.Context(), &cmdutil.Deps{}, file.Name())
		<-done
		return clients, err
	}
	synctest.Test(t, func(t *testing.T) {
		clients, err := written(t, []string{"", "ada:hus", "h-h", "ush\nbob:hush\n"})
		require.NoError(t, err)
		require.Equal(t, []string{"ada:hush-hush", "bob:hush"}, clients)
	})
	synctest.Test(t, func(t *testing.T) {
		_, err := written(t, slices.Repeat([]string{"ada:hush\n"}, 2*maxReads))
		require.ErrorIs(t, err, cmdutil.ErrUsage)
		require.ErrorContains(t, err, "does not stay as it is")
	})
}
