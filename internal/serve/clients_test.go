package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
