package doccheck_test

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A workflow is what a file of GitHub's workflows may do.
type workflow struct {
	Permissions map[string]string `yaml:"permissions"`
	On          yaml.Node         `yaml:"on"`
	Jobs        map[string]job    `yaml:"jobs"`
}

type job struct {
	Permissions map[string]string `yaml:"permissions"`
	Needs       string            `yaml:"needs"`
	Uses        string            `yaml:"uses"`
	Steps       []step            `yaml:"steps"`
}

type step struct {
	Uses string            `yaml:"uses"`
	Run  string            `yaml:"run"`
	With map[string]any    `yaml:"with"`
	Env  map[string]string `yaml:"env"`
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

// scripts returns the contents of all files of .ci and .github that are run or describe what is run, by their paths.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	contents := files(t, "Makefile", ".goreleaser.yaml")
	for _, folder := range []string{".ci", ".github"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if filepath.Ext(path) == ".md" || entry.Name() == "package-lock.json" { // text, and what pins by itself
				return nil
			}
			content, err := os.ReadFile(path)
			contents[path] = string(content)
			return err
		})
		require.NoError(t, err)
	}
	return contents
}

// TestEverythingIsPinned finds what the checks and the release use that could be another program tomorrow.
func TestEverythingIsPinned(t *testing.T) {
	t.Parallel()
	moving := regexp.MustCompile(`@(latest|main|master|upgrade|v[0-9]+(\.[0-9]+)?)("|'|\s|$)`)
	action := regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.*)$`)
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$`)
	ours := regexp.MustCompile(`^\./\.github/(workflows|actions)/[\w./-]+$`) // of the same commit
	installed := regexp.MustCompile(`(?:go (?:install|run)|npm (?:install|i|exec)|npx) .*`)
	found := scripts(t)
	for _, path := range []string{".ci/run", ".ci/release/build", ".ci/release/npm/check", ".github/workflows/release.yml"} {
		require.Contains(t, found, filepath.Join(root, path))
	}
	for path, content := range found {
		require.NotRegexp(t, moving, content, path)
		for _, uses := range action.FindAllStringSubmatch(content, -1) {
			if uses := strings.TrimSpace(uses[1]); !ours.MatchString(uses) {
				require.Regexp(t, pinned, uses, path)
			}
		}
		for _, line := range installed.FindAllString(content, -1) {
			if strings.HasPrefix(line, "go ") {
				require.NotContains(t, line, "@", "%s: tools are pinned in .ci/lib.sh", path)
			} else {
				require.Contains(t, line, "--offline", "%s: tools are pinned by lock files", path)
			}
		}
	}
	lib := files(t, ".ci/lib.sh")[filepath.Join(root, ".ci/lib.sh")]
	tools := regexp.MustCompile(`(?m)^\w+=[\w.-]+\.\w+/\S+@(\S*)$`).FindAllStringSubmatch(lib, -1)
	require.NotEmpty(t, tools)
	for _, tool := range tools {
		require.Regexp(t, `^v[0-9]+\.[0-9]+\.[0-9]+$`, tool[1], tool[0])
	}
}

// Only the two workflows of a release may write anything, and they use nothing that another workflow could have left.
func TestWorkflowsMayDoLittle(t *testing.T) {
	t.Parallel()
	for path, w := range workflows(t) {
		require.NotNil(t, w.Permissions, "%s: without permissions, a job has those of the repository's settings", path)
		for what, access := range w.Permissions {
			require.Equal(t, "read", access, "%s: %s", path, what)
		}
		isRelease := slices.Contains([]string{"release.yml", "publish.yml"}, filepath.Base(path))
		for name, job := range w.Jobs {
			require.True(t, isRelease || job.Permissions == nil, "%s: %s", path, name)
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") {
					require.Equal(t, false, step.With["persist-credentials"], "%s: %s", path, name)
				}
				if strings.HasPrefix(step.Uses, "actions/setup-go@") && isRelease {
					require.Equal(t, false, step.With["cache"], "%s: %s", path, name)
				}
				if strings.HasPrefix(step.Uses, "actions/setup-node@") && isRelease {
					require.NotContains(t, step.With, "cache", "%s: %s", path, name) // which is off without it
				}
				if strings.HasPrefix(step.Uses, "docker/setup-buildx-action@") && isRelease {
					require.Equal(t, false, step.With["cache-binary"], "%s: %s", path, name)
				}
				require.False(t, isRelease && strings.HasPrefix(step.Uses, "actions/cache@"), "%s: %s", path, name)
			}
		}
	}
}

// What a job of a release may do is what it is for.
func TestReleaseWorkflows(t *testing.T) {
	t.Parallel()
	all := workflows(t)
	release := all[filepath.Join(root, ".github/workflows/release.yml")].Jobs
	read := map[string]string{"contents": "read"}
	permissions := func(jobs map[string]job) map[string]map[string]string {
		found := map[string]map[string]string{}
		for name, job := range jobs {
			found[name] = job.Permissions
		}
		return found
	}
	require.Equal(t, map[string]map[string]string{
		"ready": read, "checks": read,
		"release": {"contents": "write", "packages": "write", "id-token": "write", "attestations": "write"},
	}, permissions(release))
	require.Equal(t, "./.github/workflows/ci.yml", release["checks"].Uses)
	require.Equal(t, "ready", release["checks"].Needs)
	require.Equal(t, "checks", release["release"].Needs, "nothing is released whose checks have failed")
	for _, step := range release["release"].Steps {
		for name := range step.Env {
			require.Equal(t, "GITHUB_TOKEN", name, "the channels are filled when a person has published the release")
		}
	}

	publish := all[filepath.Join(root, ".github/workflows/publish.yml")]
	var on map[string]map[string][]string
	require.NoError(t, publish.On.Decode(&on))
	require.Equal(t, map[string]map[string][]string{"release": {"types": {"published"}}}, on)
	require.Equal(t, map[string]map[string]string{
		"latest": read, "channels": {"contents": "read", "attestations": "read"},
		"image": {"packages": "write"},
		"npm":   {"contents": "read", "attestations": "read", "id-token": "write"},
	}, permissions(publish.Jobs))
}

// A channel is left out without its token, and does not get what is only tried (auto). goreleaser reads a token only in this form.
func TestChannelsNeedTheirTokens(t *testing.T) {
	t.Parallel()
	type channel struct {
		Name, Key  string
		Repository struct{ Token string }
		PrivateKey string   `yaml:"private_key"`
		SkipUpload string   `yaml:"skip_upload"`
		Manpages   []string `yaml:"manpages"`
	}
	var config struct {
		Env     []string
		Casks   []channel `yaml:"homebrew_casks"`
		Scoops  []channel
		Winget  []channel
		AURs    []channel `yaml:"aurs"`
		Nix     []channel
		Release struct {
			Draft   bool
			Disable string
		}
	}
	content := files(t, ".goreleaser.yaml")[filepath.Join(root, ".goreleaser.yaml")]
	require.NoError(t, yaml.Unmarshal([]byte(content), &config))
	require.True(t, config.Release.Draft)
	require.Equal(t, "{{ .Env.CHANNELS_ONLY }}", config.Release.Disable)
	tokens := map[string]string{}
	for _, step := range workflows(t)[filepath.Join(root, ".github/workflows/publish.yml")].Jobs["channels"].Steps {
		maps.Copy(tokens, step.Env)
	}
	form := regexp.MustCompile(`^\{\{ \.Env\.(\w+) \}\}$`)
	for _, channels := range [][]channel{config.Casks, config.Scoops, config.Winget, config.AURs, config.Nix} {
		require.Len(t, channels, 1)
		token := form.FindStringSubmatch(cmp.Or(channels[0].Repository.Token, channels[0].PrivateKey))
		require.NotNil(t, token, channels[0])
		require.Equal(t, "{{ if .Env."+token[1]+" }}auto{{ else }}true{{ end }}", channels[0].SkipUpload)
		require.Equal(t, "${{ secrets."+token[1]+" }}", tokens[token[1]])
		require.Contains(t, files(t, "docs/RELEASING.md")[filepath.Join(root, "docs/RELEASING.md")], "`"+token[1]+"`")
		require.Contains(t, config.Env, token[1]+`={{ if isEnvSet "`+token[1]+`" }}{{ .Env.`+token[1]+` }}{{ end }}`)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/man/*.1"))
	require.NoError(t, err)
	listed := config.Casks[0].Manpages
	require.Len(t, listed, len(pages), "the Homebrew cask lists all of docs/man")
	for _, page := range pages {
		require.Contains(t, listed, "docs/man/"+filepath.Base(page))
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
	last := release.Steps[len(release.Steps)-1]
	require.Regexp(t, `^actions/attest-build-provenance@`, last.Uses)
	require.Equal(t, "dist/"+config.Checksum.Name, last.With["subject-checksums"])

	page := files(t, "docs/RELEASING.md")[filepath.Join(root, "docs/RELEASING.md")]
	require.Contains(t, page, "cosign verify-blob "+config.Checksum.Name+" --bundle "+signature)
}

// findBash returns the path of bash, which runs the scripts of .ci, and skips the test where they cannot run.
func findBash(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for systems with users and modes")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	return bash
}

// TestReleaseIsReady runs the check that the release workflow begins with, in trees that lack something.
func TestReleaseIsReady(t *testing.T) {
	t.Parallel()
	bash := findBash(t)
	tree := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(tree, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	ready := func(version string) (string, string, error) {
		var out, problems strings.Builder
		cmd := exec.CommandContext(t.Context(), bash, ".ci/release/ready", version)
		cmd.Dir = root
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PAYCTL_RELEASE_TREE=" + tree}
		cmd.Stdout, cmd.Stderr = &out, &problems
		err := cmd.Run()
		return out.String(), problems.String(), err
	}
	lacks := func(version string, parts ...string) {
		t.Helper()
		out, problems, err := ready(version)
		require.Error(t, err)
		require.Empty(t, out)
		require.Equal(t, len(parts), strings.Count(problems, "\n- "), problems)
		for _, part := range parts {
			require.Contains(t, problems, part)
		}
	}

	const licence, names, address, entry = "There is no licence.", "name no licence", "is a placeholder", "has no entry for 0.1.0"
	const config = "maintainer: payctl maintainers <maintainers@payctl.invalid>\nlicense: unknown\n"
	write(".goreleaser.yaml", config)
	lacks("v0.1.0", licence, names, address, entry)
	write("LICENSE", "the text of a licence")
	lacks("v0.1.0", names, address, entry)
	write(".goreleaser.yaml", strings.Replace(config, "unknown", "MIT", 1))
	lacks("v0.1.0", address, entry)
	write(".goreleaser.yaml", "license: MIT\n")
	write("docs/RELEASING.md", "maintainers@payctl.invalid is the placeholder.\n")
	write("docs/CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- soon\n")
	lacks("v0.1.0", entry)
	write("docs/CHANGELOG.md", "# Changelog\n\n## 0.1.0\n\n## 0.0.1\n\n- old\n")
	lacks("v0.1.0", entry)
	for _, heading := range []string{"0.1.0", "v0.1.0 - 2026-12-01", "[0.1.0] - 2026-12-01", "[v0.1.0](https://payctl.example)"} {
		write("docs/CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- soon\n\n## "+heading+"\n\n- new\n\n## 0.0.1\n\n- old\n")
		out, problems, err := ready("v0.1.0")
		require.NoError(t, err, problems)
		require.Equal(t, "- new", strings.TrimSpace(out), heading)
	}
	lacks("v0.1", "not a semantic version", "has no entry for 0.1.")
	write(".github/SECURITY.md", "Write to maintainers@payctl.invalid.\n")
	lacks("v0.1.0", address)
	write(".github/SECURITY.md", "Use the form.\n")
	write("docs/INSTALL.md", "**v0.1.0 is not published yet.**\n")
	lacks("v0.1.0", "not published yet")
}

// TestToolsAreInAPrivateFolder runs the shared part of the scripts of .ci with folders that other users can change.
func TestToolsAreInAPrivateFolder(t *testing.T) {
	t.Parallel()
	bash := findBash(t)
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
