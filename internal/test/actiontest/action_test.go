package actiontest

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const (
	setup  = "setup-payctl"
	report = "setup-payctl/report"
)

// TestAJob builds payctl from the checkout, starts the service, uses it and ends it with a report, as a job does.
func TestAJob(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	outputs, success := r.use(setup, map[string]string{
		"version": "source", "timeout-minutes": "5", "args": "--seed 7\n--kyc-delay 0s",
	})
	require.True(t, success, r.log)
	program := r.find("payctl")
	// Its folder keeps others out. The umask is the job's, since it would also hold for what Go keeps for later builds.
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o777))
	require.Equal(t, os.FileMode(0o700), modeOf(t, filepath.Dir(program)))
	require.Equal(t, modeOf(t, plain), modeOf(t, program))
	require.Equal(t, "dev", outputs["version"])
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, outputs["url"])
	require.Equal(t, outputs["url"], r.env["PAYCTL_BASE_URL"])
	require.Equal(t, "file", r.env["PAYCTL_CREDENTIAL_STORE"])
	require.Contains(t, r.log, "::add-mask::"+r.env["PAYCTL_CLIENT_SECRET"]+"\n")

	_, success = r.use(setup, map[string]string{"version": "source", "timeout-minutes": "5"})
	require.False(t, success)
	require.Contains(t, r.log, "A service runs already in this job")

	out, err := r.command(nil, "payctl", "accounts", "create", "--type", "individual", "--first-name", "Ada",
		"--last-name", "Lovelace", "--email", "ada@example.com", "--country", "GB", "--wait", "--jq", ".id")
	require.NoError(t, err)
	require.Contains(t, out, "acc_")
	_, err = r.command(nil, "payctl", "api", "GET", "/<script>|x|/`y`/[z](http://a)")
	require.Error(t, err, "the service has no such path")

	folder := r.env["SETUP_PAYCTL_FOLDER"]
	outputs, success = r.use(report, nil)
	require.True(t, success, r.log)
	require.Contains(t, r.summary, "| createAccount | 201 × 1 |")
	require.Contains(t, r.summary, "**violations of the contract: 0**")
	require.Contains(t, r.summary, "cancelTransfer", "is not used")
	require.Len(t, r.uploads, 1)
	require.Equal(t, map[string]string{"name": "payctl-report-test-0", "path": outputs["report"]}, r.uploads[0])
	content, err := os.ReadFile(filepath.Join(outputs["report"], "report.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &struct{ Requests int }{}))
	require.FileExists(t, filepath.Join(outputs["report"], "service.log"))
	require.Empty(t, processes(t, folder), "they are left")
	require.NoDirExists(t, r.env["PAYCTL_CONFIG_DIR"])
	_, err = r.command(nil, "payctl", "ping")
	require.Error(t, err, "the service has ended")

	summary := r.summary
	_, success = r.use(report, nil)
	require.True(t, success, "there is nothing to report a second time")
	require.Equal(t, summary, r.summary)
	require.Len(t, r.uploads, 1)

	t.Run("release", func(t *testing.T) { releases(t, program) })
	t.Run("any shell", func(t *testing.T) { anyShell(t, program) })
	t.Run("service that does not start", func(t *testing.T) { wrongFlags(t, program) })
}

// processes returns the command lines that name a folder; none where the system has no /proc.
func processes(t *testing.T, folder string) (found []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(line), folder) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// releases installs from a server with one release, whose program is a given one.
func releases(t *testing.T, program string) {
	archive := filepath.Join(t.TempDir(), "archive")
	pack(t, program, archive)
	content, err := os.ReadFile(archive)
	require.NoError(t, err)
	name := fmt.Sprintf("payctl_0.1.0_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	right := fmt.Sprintf("%064d  payctl_0.1.0_plan9_mips.zip\n%x  %s\n", 0, sha256.Sum256(content), name)

	const touch = "$(touch $RUNNER_TEMP/ran)`touch $RUNNER_TEMP/ran`\";touch $RUNNER_TEMP/ran"
	another := strings.Repeat("0", 64) + "  " + name + "\n"
	for title, c := range map[string]struct {
		version   string
		checksums string // empty: the right ones
		gh        string // the script of a gh; empty: it approves of everything
		refused   string // a part of the error; empty: it is installed
	}{
		"a version":            {version: "v0.1.0"},
		"the newest":           {version: "latest"},
		"without gh":           {version: "v0.1.0", gh: "exit 1"},
		"no checksum":          {"v0.1.0", strings.Replace(right, name, name+".sig", 1), "", "does not name " + name},
		"another checksum":     {"v0.1.0", another, "", "is not the one in checksums.txt"},
		"of another workflow":  {"v0.1.0", "", `[ "$3" = --help ]`, "was not built by the release workflow"},
		"no such version":      {"v0.2.0", "", "", "cannot be downloaded"},
		"a path as version":    {"v0.1.0/../v0.1.0", "", "", "is no version of payctl"},
		"a command as version": {touch, "", "", "is no version of payctl"},
		"another line in it":   {"x\n::add-mask::y", "", "", "x%0A::add-mask::y"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			checksums, gh := cmp.Or(c.checksums, right), cmp.Or(c.gh, "exit 0")
			mux := http.NewServeMux()
			mux.HandleFunc("/releases/latest", func(w http.ResponseWriter, q *http.Request) {
				http.Redirect(w, q, "/releases/tag/v0.1.0", http.StatusFound)
			})
			mux.HandleFunc("/releases/tag/v0.1.0", func(http.ResponseWriter, *http.Request) {})
			mux.HandleFunc("/releases/download/v0.1.0/checksums.txt", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, checksums)
			})
			mux.HandleFunc("/releases/download/v0.1.0/"+name, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(content)
			})
			server := httptest.NewServer(mux)
			defer server.Close()

			r := newRunner(t)
			fake := t.TempDir()
			calls := filepath.Join(fake, "calls")
			script := "#!/bin/sh\necho \"$GH_TOKEN $*\" >>" + calls + "\n" + gh + "\n"
			require.NoError(t, os.WriteFile(filepath.Join(fake, "gh"), []byte(script), 0o700))
			r.path = []string{fake}
			outputs, success := r.use(setup, map[string]string{
				"version": c.version, "releases": server.URL + "/releases", "serve": "false",
			})
			require.NoFileExists(t, filepath.Join(r.temp, "ran"))
			if c.refused != "" {
				require.False(t, success)
				require.Contains(t, r.log, c.refused)
				require.Equal(t, []string{fake}, r.path, "nothing is added to the PATH")
				return
			}
			require.True(t, success, r.log)
			require.Equal(t, map[string]string{"version": "dev", "url": ""}, outputs)
			require.Empty(t, r.env)
			_, err := r.command(nil, "payctl", "version")
			require.NoError(t, err)
			asked, err := os.ReadFile(calls)
			require.NoError(t, err)
			if c.gh == "" {
				require.Regexp(t, `(?m)^token-of-the-job attestation verify \S*/`+name+` --repo payctl/payctl --source-ref refs/tags/v0\.1\.0`+
					` --signer-workflow payctl/payctl/\.github/workflows/release\.yml$`, string(asked))
			} else {
				require.Contains(t, r.log, "::notice title=payctl::Only the checksum of "+name)
			}
		})
	}
}

func modeOf(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

// pack makes an archive as a release has it.
func pack(t *testing.T, program, archive string) {
	t.Helper()
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	file, err := os.Create(archive)
	require.NoError(t, err)
	compressed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	require.NoError(t, err)
	packed := tar.NewWriter(compressed)
	for name, content := range map[string][]byte{"payctl": content, "README.md": []byte("read me")} {
		require.NoError(t, packed.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}))
		_, err = packed.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, packed.Close())
	require.NoError(t, compressed.Close())
	require.NoError(t, file.Close())
}

// wrongFlags starts services with flags that serve refuses, among them some that a shell would run.
func wrongFlags(t *testing.T, program string) {
	for title, inputs := range map[string]map[string]string{
		"unknown flag":         {"args": "--no-such-flag"},
		"command":              {"args": "-- touch ran"},
		"substitution":         {"args": "--seed $(touch\u00a0ran) `touch\tran` ;touch ran; | & * \"'"},
		"minutes":              {"timeout-minutes": "a[$(touch ran)]"},
		"no minutes":           {"timeout-minutes": "0"},
		"address of all hosts": {"args": "--addr 0.0.0.0:0"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			r.path = []string{filepath.Dir(program)}
			values := map[string]string{"inputs.timeout-minutes": "5", "inputs.serve": "true"}
			for name, value := range inputs {
				values["inputs."+name] = value
			}
			a := readAction(t, setup)
			require.False(t, r.run(a.Runs.Steps[1], folderOf(t, setup), values))
			require.Contains(t, r.log, "::error title=payctl::")
			require.Empty(t, r.env)
			require.NoFileExists(t, filepath.Join(r.temp, "ran"))
			_, success := r.use(report, nil)
			require.True(t, success, "no service was started, so there is nothing to report")
			require.Empty(t, r.summary)
			require.Empty(t, r.uploads)
			require.Empty(t, processes(t, r.temp))
		})
	}
}

// TestReportOfABreach ends a service that broke the contract, with texts that would be markup or commands
// to the runner.
func TestReportOfABreach(t *testing.T) {
	t.Parallel()
	hostile := "</code></table><script>alert(1)</script> | [a](http://b) `c` **d** <!-- " +
		"\n::error::e\n## f @g \\| &lt; \u202e \x1b[2J"
	violation := map[string]any{
		"method": "GET", "path": hostile, "status": 200, "requestId": hostile, "pointer": hostile,
		"reason": strings.Repeat(hostile, 100),
	}
	violations := make([]any, 1000)
	for i := range violations {
		violations[i] = violation
	}
	content, err := json.Marshal(map[string]any{
		"requests": 3, "operations": map[string]any{"getTransfer": map[string]int{"200": 2, "0": 1}},
		"notCovered": []string{}, "notInContract": map[string]int{"404": 1},
		"refused": map[string]int{"not-found": 1}, "faults": map[string]int{hostile: 1},
		"checked": true, "violationCount": 4000, "violations": violations,
	})
	require.NoError(t, err)
	for code, message := range map[string]string{
		"15": "The service broke the contract.", "2": "The service ended with exit code 2.",
		"124": "The service ended with exit code 124.",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			folder := filepath.Join(r.temp, "service")
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "report"), 0o700))
			for name, text := range map[string]string{
				"code": code + "\n", "report/service.log": hostile, "report/report.json": string(content),
			} {
				require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
			}
			r.env["SETUP_PAYCTL_FOLDER"] = folder
			outputs, success := r.use(report, map[string]string{"artifact": "mine"})
			require.False(t, success)
			require.Contains(t, r.log, "::error title=payctl::"+message)
			require.Regexp(t, `(?s)::stop-commands::([0-9a-f]{64})\n.*\n::error::e\n.*\n::[0-9a-f]{64}::\n`, r.log)
			require.Equal(t, []map[string]string{{"name": "mine", "path": outputs["report"]}}, r.uploads)

			require.Contains(t, r.summary, "| getTransfer | cut off × 1, 200 × 2 |")
			require.Contains(t, r.summary, "**violations of the contract: 4000**")
			require.Contains(t, r.summary, "The report lists more of them.")
			require.Less(t, len(r.summary), 1<<20, "GitHub shows no larger summary")
			for _, markup := range []string{
				"<script", "</code>", "[a]", "`", "**d", "<!--", "\n::", "\n## f", "@g", "&lt;", "\x1b", "\u202e",
			} {
				require.NotContains(t, r.summary, markup)
			}
			for line := range strings.Lines(r.summary) {
				if strings.Contains(line, "GET") {
					require.Equal(t, 5, strings.Count(line, "|"), "a value makes no columns")
				}
			}
		})
	}
}

// TestInputsAreNoCommands finds what GitHub would put into the text of a script.
func TestInputsAreNoCommands(t *testing.T) {
	t.Parallel()
	for _, name := range []string{setup, report} {
		for _, s := range readAction(t, name).Runs.Steps {
			require.NotContains(t, s.Run, "${{", name)
		}
	}
}

// TestAServiceDoesNotStay runs the command of the service without a service: it ends when its time is over, or its
// folder gone.
func TestAServiceDoesNotStay(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	hold := filepath.Join(folderOf(t, setup), "hold.sh")
	own := map[string]string{"PAYCTL_BASE_URL": "http://127.0.0.1:1", "PAYCTL_TOKEN": "x"}
	out, err := r.command(own, "bash", hold, r.temp, "0")
	require.ErrorContains(t, err, "exit status 124")
	require.Contains(t, out, "nothing ended it within 0 minutes")
	require.Equal(t, []string{"PAYCTL_BASE_URL=http://127.0.0.1:1"}, r.lines(filepath.Join(r.temp, "environment")))

	folder := filepath.Join(r.temp, "folder")
	require.NoError(t, os.Mkdir(folder, 0o700))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	go func() {
		for range tick.C {
			if _, err := os.Stat(filepath.Join(folder, "environment")); err == nil {
				_ = os.RemoveAll(folder)
				return
			}
		}
	}()
	_, err = r.command(nil, "bash", hold, folder, "5")
	require.NoError(t, err)
}

// TestPageOfCI compares docs/CI.md with the actions: their inputs, defaults and outputs.
func TestPageOfCI(t *testing.T) {
	t.Parallel()
	page := pageOfCI(t)
	workflows := regexp.MustCompile("(?s)```yaml\n(name: .*?)```").FindAllStringSubmatch(page, -1)
	require.Len(t, workflows, 1)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(workflows[0][1]), &workflow))
	used := map[string]bool{}
	for _, s := range workflow.Jobs["test"].Steps {
		name, ours := strings.CutPrefix(s.Uses, "payctl/payctl/.github/actions/")
		if !ours {
			continue
		}
		name, _, _ = strings.Cut(name, "@")
		used[name] = true
		for input := range s.With {
			require.Contains(t, readAction(t, name).Inputs, input)
		}
	}
	require.Equal(t, map[string]bool{setup: true, report: true}, used)

	a := readAction(t, setup)
	rows := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|(?: `?([^|`]*?)`?)? \\|").FindAllStringSubmatch(page, -1)
	require.Len(t, rows, len(a.Inputs))
	for _, row := range rows {
		require.Contains(t, a.Inputs, row[1])
		if row[1] != "releases" { // the page names no address
			require.Equal(t, a.Inputs[row[1]].Default, row[2], row[1])
		}
	}
	for _, name := range []string{setup, report} {
		for output := range readAction(t, name).Outputs {
			require.Contains(t, page, "`"+output+"`")
		}
	}
	require.Contains(t, page, "`artifact`")
}

func pageOfCI(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "CI.md"))
	require.NoError(t, err)
	return string(page)
}

// anyShell runs the lines that docs/CI.md has for any shell.
func anyShell(t *testing.T, program string) {
	lines := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(pageOfCI(t))
	require.NotNil(t, lines)
	r := newRunner(t)
	r.path = []string{filepath.Dir(program)}
	script := filepath.Join(t.TempDir(), "script.sh")
	require.NoError(t, os.WriteFile(script, []byte(lines[1]), 0o600))
	out, err := r.command(nil, "sh", "-eu", script)
	require.NoError(t, err)
	require.Contains(t, out, "No accounts.")
	require.FileExists(t, filepath.Join(r.temp, "report.json"))
}
