package doccheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A workflow is what a file of GitHub's workflows may do.
type workflow struct {
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Permissions map[string]string `yaml:"permissions"`
		Steps       []struct {
			Uses string         `yaml:"uses"`
			With map[string]any `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

const root = "../../.."

// files returns the contents of the files that match one of the patterns, by their paths.
func files(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			contents[path] = string(content)
		}
	}
	return contents
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	parsed := map[string]workflow{}
	for path, content := range files(t, ".github/workflows/*") {
		var w workflow
		require.NoError(t, yaml.Unmarshal([]byte(content), &w), path)
		parsed[path] = w
	}
	return parsed
}

// TestEverythingIsPinned finds what the checks and the release use that could be another program tomorrow.
func TestEverythingIsPinned(t *testing.T) {
	t.Parallel()
	moving := regexp.MustCompile(`@(latest|main|master|upgrade|v[0-9]+(\.[0-9]+)?)("|'|\s|$)`)
	action := regexp.MustCompile(`uses:\s*(.*)`)
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$`)
	installed := regexp.MustCompile(`(?:go (?:install|run)|npm install|npx) .*`)
	for path, content := range files(t, ".github/workflows/*", ".ci/*", ".ci/*/*.sh", "Makefile", ".goreleaser.yaml") {
		require.NotRegexp(t, moving, content, path)
		for _, uses := range action.FindAllStringSubmatch(content, -1) {
			require.Regexp(t, pinned, strings.TrimSpace(uses[1]), path)
		}
		for _, line := range installed.FindAllString(content, -1) {
			require.NotRegexp(t, `npm install|npx|@`, line, "%s: tools are pinned in .ci/lib.sh", path)
		}
	}
	lib := files(t, ".ci/lib.sh")[filepath.Join(root, ".ci/lib.sh")]
	tools := regexp.MustCompile(`(?m)^\w+=[\w.-]+\.\w+/\S+@(\S*)$`).FindAllStringSubmatch(lib, -1)
	require.NotEmpty(t, tools)
	for _, tool := range tools {
		require.Regexp(t, `^v[0-9]+\.[0-9]+\.[0-9]+$`, tool[1], tool[0])
	}
}

func TestWorkflowsMayDoLittle(t *testing.T) {
	t.Parallel()
	for path, w := range workflows(t) {
		require.NotNil(t, w.Permissions, "%s: without permissions, a job has those of the repository's settings", path)
		for what, access := range w.Permissions {
			require.Equal(t, "read", access, "%s: %s", path, what)
		}
		isRelease := filepath.Base(path) == "release.yml"
		for name, job := range w.Jobs {
			require.True(t, isRelease || job.Permissions == nil, "%s: %s", path, name)
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") {
					require.Equal(t, false, step.With["persist-credentials"], "%s: %s", path, name)
				}
				if strings.HasPrefix(step.Uses, "actions/setup-") && isRelease {
					require.Equal(t, false, step.With["cache"], "%s: %s", path, name)
				}
				require.False(t, isRelease && strings.HasPrefix(step.Uses, "actions/cache@"), "%s: %s", path, name)
			}
		}
	}
}

func TestReleasesAreSigned(t *testing.T) {
	t.Parallel()
	var config struct {
		Checksum struct {
			Name string `yaml:"name_template"`
		} `yaml:"checksum"`
		Signs []struct {
			Artifacts, Cmd, Signature string
			Args                      []string
		} `yaml:"signs"`
	}
	content := files(t, ".goreleaser.yaml")[filepath.Join(root, ".goreleaser.yaml")]
	require.NoError(t, yaml.Unmarshal([]byte(content), &config))
	require.Len(t, config.Signs, 1)
	require.Equal(t, "checksum", config.Signs[0].Artifacts)
	require.Equal(t, "cosign", config.Signs[0].Cmd)
	signature := strings.Replace(config.Signs[0].Signature, "${artifact}", config.Checksum.Name, 1)

	release := workflows(t)[filepath.Join(root, ".github/workflows/release.yml")].Jobs["release"]
	require.Equal(t, map[string]string{"contents": "write", "id-token": "write", "attestations": "write"}, release.Permissions)
	last := release.Steps[len(release.Steps)-1]
	require.Regexp(t, `^actions/attest-build-provenance@`, last.Uses)
	require.Equal(t, "dist/"+config.Checksum.Name, last.With["subject-checksums"])

	readme := files(t, "README.md")[filepath.Join(root, "README.md")]
	require.Contains(t, readme, "cosign verify-blob "+config.Checksum.Name+" --bundle "+signature)
}

// TestToolsAreInAPrivateFolder runs the shared part of the scripts of .ci with folders that other users can change.
func TestToolsAreInAPrivateFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for systems with users and modes")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	folderOf := func(environment ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), bash, "-c", `. .ci/lib.sh && echo "$ci_cache"`)
		cmd.Dir = root
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}, environment...)
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}

	home := t.TempDir()
	folder, err := folderOf("HOME=" + home)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, ".cache/payctl-ci"), folder)
	for _, mode := range []os.FileMode{0o777, 0o775, 0o757, 0o777 | os.ModeSticky} {
		require.NoError(t, os.Chmod(folder, mode))
		_, err = folderOf("HOME=" + home)
		require.Error(t, err, "%o", mode)
		_, err = folderOf("PAYCTL_CI_CACHE=" + folder)
		require.Error(t, err, "%o", mode)
	}
	require.NoError(t, os.Chmod(folder, 0o755))
	link := filepath.Join(home, "link")
	require.NoError(t, os.Symlink(folder, link))
	_, err = folderOf("PAYCTL_CI_CACHE=" + link)
	require.Error(t, err, "another user may have made the link")

	first, err := folderOf()
	require.NoError(t, err)
	info, err := os.Stat(first)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	second, err := folderOf()
	require.NoError(t, err)
	require.NotEqual(t, first, second)
}
