package doccheck_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The page about platforms has a row for each target of the release, and what CI does with it.
func TestPlatformsPage(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(content)
	}
	ci := read(".ci/run")
	require.Regexp(t, `(?m)^step release \.ci/release/run$`, ci, "builds all targets")
	checked := regexp.MustCompile(`(?s)cross_check\(\) \{.*?for target in ([^;]+);`).FindStringSubmatch(ci)
	require.NotNil(t, checked, "the targets whose tests CI type-checks")
	var release struct {
		Builds []struct{ GOOS, GOARCH []string }
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(".goreleaser.yaml")), &release))
	require.Len(t, release.Builds, 1)

	inCI := map[string]string{}
	for _, system := range release.Builds[0].GOOS {
		for _, architecture := range release.Builds[0].GOARCH {
			inCI[system+"/"+architecture] = "built"
		}
	}
	for _, target := range strings.Fields(checked[1]) {
		require.Contains(t, inCI, target)
		inCI[target] = "built, and its tests compiled"
	}
	require.Regexp(t, `(?m)^step test .*make test$`, ci)
	inCI["linux/amd64"] = "run"
	require.Regexp(t, `(?m)^step windows \.ci/windows/run$`, ci)
	windows := read(".ci/windows/run")
	require.Contains(t, windows, "export GOOS=windows GOARCH=amd64")
	require.Contains(t, windows, "end_to_end=./internal/test/e2e")
	inCI["windows/amd64"] = "run by Wine"

	rows := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+/\w+) \| ([^|]+) \|$`).FindAllStringSubmatch(read("docs/PLATFORMS.md"), -1) {
		rows[row[1]] = row[2]
	}
	require.Equal(t, inCI, rows)
	for _, meaning := range slices.Collect(maps.Values(inCI)) {
		require.Contains(t, read("docs/PLATFORMS.md"), "\n- **"+meaning+"**: ", "what it means is said")
	}
}
