package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/zip"
)

// TestInputsAreNoCommands checks that no script of the GitHub actions contains an expression. GitHub would put the
// value, which the author of a pull request may have chosen, into the text of the script.
func TestInputsAreNoCommands(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"setup-payctl", "setup-payctl/report"} {
		path := filepath.Join("..", "..", "..", ".github", "actions", filepath.FromSlash(name), "action.yml")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var action struct {
			Runs struct{ Steps []struct{ Run string } }
		}
		require.NoError(t, yaml.Unmarshal(text, &action))
		require.NotEmpty(t, action.Runs.Steps)
		for _, step := range action.Runs.Steps {
			require.NotContains(t, step.Run, "${{", path)
		}
	}
}

// TestModuleCanBeFetched checks that Go accepts every file of the module. One file with a name that Windows reserves,
// or that differs from another only in case, makes `go install` refuse the whole module.
func TestModuleCanBeFetched(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	files, err := zip.CheckDir(root)
	require.NoError(t, err)
	require.NotEmpty(t, files.Valid)
	require.Empty(t, files.Invalid)
}
