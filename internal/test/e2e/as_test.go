package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract/servicemap"
)

// atImitated are the scenarios that pass unchanged at an imitated service: those that neither call paths of the
// contract nor show what is on the wire. The first ones run with -short.
var atImitated = strings.Fields(`accounts transfer batch kyc_list lists
	batch_contacts batch_mapped complete contacts errors external_ids import kyc names next ping report required resolve
	routes update waits`)

const inShort = 5

// TestScenariosAtAnImitatedService runs scenarios at services that differ as the profiles of testdata/imitated say.
func TestScenariosAtAnImitatedService(t *testing.T) {
	t.Parallel()
	profiles, err := filepath.Glob("testdata/imitated/*.yaml")
	require.NoError(t, err)
	require.Len(t, profiles, 2)
	for _, path := range profiles {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal(text, &document))
			service, mistakes := servicemap.Parse(document.Content[0])
			require.Empty(t, mistakes)
			config := quick
			config.As = service
			url := serveAs(t, config)
			profile := "profiles:\n  local:\n    base_url: " + url + "\n    " +
				strings.ReplaceAll(string(text), "\n", "\n    ")
			params := scripts("", url)
			for i, scenario := range atImitated {
				if i < inShort || !testing.Short() {
					params.Files = append(params.Files, filepath.Join("testdata", scenario+".txtar"))
				}
			}
			setup := params.Setup
			params.Setup = func(env *testscript.Env) error {
				folder := filepath.Join(env.WorkDir, "config")
				return errors.Join(setup(env), os.Mkdir(folder, 0o700),
					os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(profile), 0o600))
			}
			testscript.Run(t, params)
		})
	}
}
