package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/app"
)

var operating = filepath.Join("..", "..", "..", "docs", "operating")

// operatingPage gives the scripts docs/operating/database.sql and the command page: `page WORDS` runs the only line of
// docs/SERVE.md that begins with these words.
func operatingPage(t *testing.T, params *testscript.Params) {
	text, err := os.ReadFile(filepath.Join(operating, "..", "SERVE.md"))
	require.NoError(t, err)
	statements, err := os.ReadFile(filepath.Join(operating, "database.sql"))
	require.NoError(t, err)
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		if err := os.WriteFile(filepath.Join(env.WorkDir, "database.sql"), statements, 0o600); err != nil {
			return err
		}
		return setup(env)
	}
	params.Cmds["page"] = func(ts *testscript.TestScript, neg bool, args []string) {
		begins := "    " + strings.Join(args, " ")
		var found []string
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, begins) {
				found = append(found, line)
			}
		}
		if neg || len(found) != 1 {
			ts.Fatalf("page WORDS needs words with which one line of the page begins; %d do", len(found))
		}
		ts.Check(ts.Exec("sh", "-c", found[0]))
	}
}

// Every variable of the service in the compose file, in the image and in their documentation belongs to a flag.
func TestVariablesOfContainers(t *testing.T) {
	t.Parallel()
	serve, _, err := app.Command().Find([]string{"serve"})
	require.NoError(t, err)
	root := filepath.Join(operating, "..", "..")
	for _, name := range []string{"docs/operating/compose.yaml", "docs/SANDBOX.md", ".ci/image/Dockerfile"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		variables := regexp.MustCompile(`PAYCTL_SERVE_(\w+)`).FindAllStringSubmatch(string(text), -1)
		require.Greater(t, len(variables), 1, name)
		for _, variable := range variables {
			flag := strings.ReplaceAll(strings.ToLower(variable[1]), "_", "-")
			require.NotNil(t, serve.Flags().Lookup(flag), "%s in %s", variable[0], name)
		}
	}
}
