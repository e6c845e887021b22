package doccheck_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// An issueForm has the members that GitHub's issue forms may have, as far as ours use them.
type issueForm struct {
	Name, Description string
	Labels            []string
	Body              []struct {
		Type, ID   string
		Attributes struct {
			Label, Description, Value, Render string
			Options                           []struct{ Label string }
		}
		Validations struct{ Required bool }
	}
}

// decodeStrictly decodes a YAML document, which may have no member that the value lacks.
func decodeStrictly(t *testing.T, text string, value any) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(value))
}

// TestIssueForms holds the forms to GitHub's rules: GitHub leaves out a form that breaks one, without a message.
func TestIssueForms(t *testing.T) {
	t.Parallel()
	forms := 0
	for path, text := range files(t, ".github/ISSUE_TEMPLATE/*") {
		if filepath.Base(path) == "config.yml" {
			var config struct {
				Blank bool                                `yaml:"blank_issues_enabled"`
				Links []struct{ Name, URL, About string } `yaml:"contact_links"`
			}
			decodeStrictly(t, text, &config)
			require.False(t, config.Blank)
			require.Equal(t, "https://github.com/payctl/payctl/security/advisories/new", config.Links[0].URL)
			for _, link := range config.Links {
				require.NotEmpty(t, link.Name)
				require.NotEmpty(t, link.About)
			}
			continue
		}
		forms++
		var form issueForm
		decodeStrictly(t, text, &form)
		require.Greater(t, len(form.Name), 3, path)
		require.NotEmpty(t, form.Description, path)
		ids, asks := map[string]bool{}, false
		for _, part := range form.Body {
			require.Contains(t, []string{"markdown", "textarea", "input", "checkboxes"}, part.Type, path)
			if part.Type == "markdown" {
				require.NotEmpty(t, part.Attributes.Value, path)
				require.Empty(t, part.ID, path)
				continue
			}
			asks = true
			require.Regexp(t, `^[a-z-]+$`, part.ID, path)
			require.False(t, ids[part.ID], "%s has %s twice", path, part.ID)
			ids[part.ID] = true
			require.NotEmpty(t, part.Attributes.Label, path)
			require.Equal(t, part.Type == "checkboxes", len(part.Attributes.Options) > 0, "%s: %s", path, part.ID)
		}
		require.True(t, asks, path)
	}
	require.Equal(t, 2, forms)
}

// TestDependabotKnowsEveryFolder finds the files that Dependabot could update and does not know.
func TestDependabotKnowsEveryFolder(t *testing.T) {
	t.Parallel()
	var config struct {
		Version int
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
			Schedule    struct{ Interval string }
			Groups      map[string]struct{ Patterns []string }
		}
	}
	decodeStrictly(t, files(t, ".github/dependabot.yml")[filepath.Join(root, ".github/dependabot.yml")], &config)
	require.Equal(t, 2, config.Version)
	known := map[string][]string{}
	for _, update := range config.Updates {
		require.Contains(t, []string{"daily", "weekly", "monthly"}, update.Schedule.Interval)
		known[update.Ecosystem] = update.Directories
	}
	require.Contains(t, known["github-actions"], "/", "which stands for the workflows")
	ecosystems := map[string]string{
		"go.mod": "gomod", "package-lock.json": "npm", "action.yml": "github-actions",
	}
	found := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "testdata", "bin", "dist", "node_modules"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if ecosystem := ecosystems[entry.Name()]; ecosystem != "" {
			folder, err := filepath.Rel(root, filepath.Dir(path))
			require.NoError(t, err)
			if folder = filepath.ToSlash(folder); folder == ".github/workflows" {
				return nil // a workflow
			}
			require.Contains(t, known[ecosystem], strings.TrimSuffix("/"+folder, "."), path)
			found++
		}
		return nil
	}))
	require.Greater(t, found, 7)
}
