// Package actiontest runs the steps of the composite actions in .github/actions as a runner of GitHub would: in bash,
// with the files for variables, paths, outputs and the summary.
package actiontest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// stepDeadline bounds a step: it may build payctl, or wait a minute for a service, on a busy machine.
const stepDeadline = 8 * time.Minute

// action is what an action.yml of a composite action may have here. Any other member fails the test.
type action struct {
	Name, Description, Author string
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []step
	}
}

type step struct {
	ID, If, Shell, Run, Uses string
	Env, With                map[string]string
}

// runner is a job: what one step leaves for the next ones.
type runner struct {
	t       *testing.T
	temp    string            // RUNNER_TEMP
	env     map[string]string // what steps wrote to GITHUB_ENV, and what a job may set
	path    []string          // what steps wrote to GITHUB_PATH, last first
	summary string            // of all steps
	log     string            // of the last action
	uploads []map[string]string
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("bash of Git is needed on Windows, where .github/workflows/action.yml runs the actions")
	}
	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	r := &runner{t: t, temp: t.TempDir(), env: map[string]string{}}
	t.Cleanup(r.endService)
	return r
}

// endService ends a service that is left, as after a failure of the test, before its folder is removed.
func (r *runner) endService() {
	folder := r.env["SETUP_PAYCTL_FOLDER"]
	if folder == "" {
		return
	}
	require.NoError(r.t, os.WriteFile(filepath.Join(folder, "end"), nil, 0o600))
	require.Eventually(r.t, func() bool {
		_, err := os.Stat(filepath.Join(folder, "code"))
		return err == nil
	}, time.Minute, 50*time.Millisecond)
}

// folderOf returns the folder of an action.
func folderOf(t *testing.T, name string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", ".github", "actions", name))
	require.NoError(t, err)
	return folder
}

func readAction(t *testing.T, name string) action {
	t.Helper()
	file, err := os.Open(filepath.Join(folderOf(t, name), "action.yml"))
	require.NoError(t, err)
	defer file.Close()
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	var a action
	require.NoError(t, decoder.Decode(&a))
	require.Equal(t, "composite", a.Runs.Using)
	return a
}

// use runs the steps of an action with inputs. It returns the outputs, and whether all steps succeeded.
func (r *runner) use(name string, inputs map[string]string) (outputs map[string]string, success bool) {
	r.t.Helper()
	a := readAction(r.t, name)
	values := map[string]string{"github.token": "token-of-the-job", "strategy.job-index": "0"}
	for input, declared := range a.Inputs {
		values["inputs."+input] = declared.Default
	}
	for input, value := range inputs {
		require.Contains(r.t, a.Inputs, input)
		values["inputs."+input] = value
	}
	r.log, success = "", true
	for _, s := range a.Runs.Steps {
		if !r.condition(s.If, values, success) {
			continue
		}
		if s.Uses != "" {
			require.Regexp(r.t, `^actions/upload-artifact@[0-9a-f]{40}$`, s.Uses)
			r.uploads = append(r.uploads, r.expandAll(s.With, values))
			continue
		}
		success = r.run(s, folderOf(r.t, name), values) && success
	}
	outputs = map[string]string{}
	for output, declared := range a.Outputs {
		outputs[output] = r.expand(declared.Value, values)
	}
	return outputs, success
}

// condition evaluates the few forms of `if` that the actions use.
func (r *runner) condition(condition string, values map[string]string, success bool) bool {
	r.t.Helper()
	comparison := regexp.MustCompile(`^([\w.-]+) (==|!=) '([^']*)'$`)
	holds, always := true, false
	for term := range strings.SplitSeq(condition, " && ") {
		if term == "always()" {
			always = true
			continue
		}
		if term == "" {
			continue
		}
		found := comparison.FindStringSubmatch(term)
		require.NotNil(r.t, found, "this test does not know the condition %q", term)
		holds = holds && (values[found[1]] == found[3]) == (found[2] == "==")
	}
	return holds && (success || always)
}

// expand replaces each ${{ NAME }}. A name that no step has set is empty, as it is for GitHub.
func (r *runner) expand(text string, values map[string]string) string {
	r.t.Helper()
	name := regexp.MustCompile(`^(inputs|steps|github|strategy)(\.[\w-]+)+$`)
	return regexp.MustCompile(`\$\{\{(.*?)\}\}`).ReplaceAllStringFunc(text, func(expression string) string {
		inner := strings.TrimSpace(expression[3 : len(expression)-2])
		require.Regexp(r.t, name, inner, "this test does not know the expression")
		return values[inner]
	})
}

func (r *runner) expandAll(texts, values map[string]string) map[string]string {
	r.t.Helper()
	expanded := map[string]string{}
	for name, text := range texts {
		expanded[name] = r.expand(text, values)
	}
	return expanded
}

// run runs one step in bash with the options that GitHub gives it, and takes in what it wrote for the next ones.
func (r *runner) run(s step, folder string, values map[string]string) bool {
	r.t.Helper()
	require.Equal(r.t, "bash", s.Shell)
	files := r.t.TempDir()
	script := filepath.Join(files, "script.sh")
	require.NoError(r.t, os.WriteFile(script, []byte(s.Run), 0o600))
	own := map[string]string{"GITHUB_ACTION_PATH": folder}
	channels := []string{"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"}
	for _, name := range channels {
		own[name] = filepath.Join(files, name)
		require.NoError(r.t, os.WriteFile(own[name], nil, 0o600))
	}
	maps.Copy(own, r.expandAll(s.Env, values))
	out, err := r.command(own, "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
	r.log += out

	for _, line := range r.lines(own["GITHUB_ENV"]) {
		name, value, _ := strings.Cut(line, "=")
		r.env[name] = value
	}
	for _, line := range r.lines(own["GITHUB_PATH"]) {
		r.path = append([]string{line}, r.path...)
	}
	for _, line := range r.lines(own["GITHUB_OUTPUT"]) {
		name, value, _ := strings.Cut(line, "=")
		values["steps."+s.ID+".outputs."+name] = value
	}
	summary, readErr := os.ReadFile(own["GITHUB_STEP_SUMMARY"])
	require.NoError(r.t, readErr)
	r.summary += string(summary)
	return err == nil
}

// lines reads a file of NAME=VALUE or of paths. No value of these actions has several lines.
func (r *runner) lines(path string) (lines []string) {
	r.t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(r.t, err)
	for line := range strings.Lines(string(content)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

// command runs a program with the environment of the job, and returns what it printed.
func (r *runner) command(own map[string]string, name string, args ...string) (string, error) {
	r.t.Helper()
	environment := map[string]string{
		"HOME": r.temp, "TMPDIR": r.temp, "RUNNER_TEMP": r.temp,
		"GITHUB_JOB": "test", "GITHUB_SERVER_URL": "https://github.com",
		"RUNNER_OS":   map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS],
		"RUNNER_ARCH": map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
	}
	for _, setting := range []string{"GOCACHE", "GOMODCACHE", "GOENV", "GOTOOLCHAIN"} {
		value, err := exec.CommandContext(r.t.Context(), "go", "env", setting).Output()
		require.NoError(r.t, err)
		environment[setting] = strings.TrimSpace(string(value))
	}
	maps.Copy(environment, r.env)
	maps.Copy(environment, own)
	path := append(slices.Clone(r.path), os.Getenv("PATH"))
	environment["PATH"] = strings.Join(path, string(os.PathListSeparator))

	cmd := exec.CommandContext(r.t.Context(), r.find(name), args...)
	cmd.Dir = r.temp
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second // what a step starts must not hold its output open
	timer := time.AfterFunc(stepDeadline, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &out)
	}
	return out.String(), err
}

// find looks a program up as the job would.
func (r *runner) find(name string) string {
	for _, folder := range r.path {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && !info.IsDir() {
			return filepath.Join(folder, name)
		}
	}
	return name
}
