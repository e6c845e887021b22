package archtest

import (
	"go/build/constraint"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notOnWindows lists the files of tests that are not compiled for Windows, by their reason. Files that have a counterpart
// for Windows of the same name need none.
var notOnWindows = map[string][]string{
	"a terminal of Unix is needed; consoles of Windows are tried in files of their own": {
		"internal/test/e2e/watch_hostile_terminal_test.go", "internal/test/e2e/actions_terminal_test.go", "internal/test/e2e/edit_terminal_test.go",
		"internal/test/e2e/eight_bit_test.go", "internal/test/e2e/events_terminal_test.go",
		"internal/test/e2e/forged_terminal_test.go", "internal/test/e2e/hints_test.go", "internal/test/e2e/hostile_test.go",
		"internal/test/e2e/lists_terminal_test.go", "internal/test/e2e/live_screen_test.go", "internal/test/e2e/live_screens_test.go",
		"internal/test/e2e/next_terminal_test.go", "internal/test/e2e/shift_unix_test.go",
		"internal/test/e2e/suspend_linux_test.go", "internal/test/e2e/terminals_unix_test.go",
		"internal/test/e2e/transfer_terminal_test.go",
		"internal/test/terminal/terminal_test.go", "internal/ui/live/frames_linux_test.go",
		"internal/ui/live/screen_test.go", "internal/ui/pty_test.go",
	},
	"shells of Unix are run": {
		"internal/test/e2e/shells_test.go",
	},
	"modes and owners of files are those of Unix": {
		"internal/auth/keystore/file_unix_test.go", "internal/doctor/files_unix_test.go",
		"internal/outbox/journal/owner_unix_test.go", "internal/securefile/write_unix_test.go",
		"internal/settings/trust_unix_test.go", "internal/store/sql/sqlite/safe_unix_test.go",
	},
	"files that are open are replaced, which Windows does not let happen": {
		"internal/cli/serve/clients_unix_test.go", "internal/sqlitedb/replaced_unix_test.go",
	},
	"files and folders are exchanged with links by a system call of Linux while a program uses them": {
		"internal/auth/keystore/swap_linux_test.go", "internal/cli/cmdutil/swap_linux_test.go",
		"internal/securefile/swap_linux_test.go", "internal/settings/swap_linux_test.go",
	},
	"a disk is made full by means of Unix": {
		"internal/auth/keystore/full_unix_test.go", "internal/refserver/database_full_linux_test.go",
		"internal/store/sql/sqlite/fill_linux_test.go", "internal/store/sql/sqlite/full_linux_test.go",
	},
	"pipes with paths, devices, signals and errors of connections are those of Unix": {
		"internal/app/idle_test.go", "internal/app/serve_pipe_unix_test.go",
		"internal/cli/transfer/batch_report_test.go",
		"internal/refserver/stopped_linux_test.go",
		"internal/ui/system_unix_test.go",
	},
	"a program named true stands for the browser": {
		"internal/cli/watchui/browser_unix_test.go",
	},
	"the keyring or the browser is that of Linux": {
		"internal/auth/keystore/keyring_dbus_test.go", "internal/auth/keystore/keyring_gnome_linux_test.go",
		"internal/test/e2e/browser_linux_test.go",
		"internal/test/e2e/keyring_linux_test.go",
	},
	"the pages show what a shell and the program print on Linux": {
		"internal/test/e2e/pages_linux_test.go", "internal/test/e2e/pages_blocks_linux_test.go", "internal/test/e2e/pages_match_linux_test.go",
	},
	"what a program asks of the system is traced or measured by means of Linux": {
		"internal/store/sql/bench_linux_test.go", "internal/test/e2e/core_linux_test.go",
		"internal/test/e2e/each_call_linux_test.go", "internal/test/e2e/sync_linux_test.go",
	},
}

// forWindows reports whether a Go file is compiled for Windows.
func forWindows(t *testing.T, name, text string) bool {
	t.Helper()
	base := strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")
	if strings.HasSuffix(base, "_linux") || strings.HasSuffix(base, "_darwin") { // _unix in a name means nothing to Go
		return false
	}
	for line := range strings.Lines(text) {
		if !constraint.IsGoBuild(line) {
			continue
		}
		condition, err := constraint.Parse(strings.TrimSpace(line))
		require.NoError(t, err, name)
		return condition.Eval(func(tag string) bool { return tag == "windows" || tag == "amd64" || tag == "race" })
	}
	return true
}

// TestWhatDoesNotRunOnWindows holds each test that Windows leaves out to a reason: a file of Go to the list above, and a
// scenario to `skip 'reason'`, `stop 'reason'` or, in the paragraph of a condition, `# Not on Windows: reason`. With -v it
// prints all of them.
func TestWhatDoesNotRunOnWindows(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	reasons, seen := map[string]string{}, map[string]bool{}
	for reason, files := range notOnWindows {
		for _, file := range files {
			reasons[file] = reason
		}
	}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "internal"), func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case strings.HasSuffix(name, "_test.go"):
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			counterpart := regexp.MustCompile(`(_unix|_linux)?_test\.go$`).ReplaceAllString(file, "_windows_test.go")
			if _, err := os.Stat(counterpart); err == nil || forWindows(t, path.Base(name), string(text)) {
				return nil
			}
			seen[name] = true
			require.NotEmpty(t, reasons[name], "%s is not compiled for Windows: add it to the list of this test, with the reason", name)
			t.Logf("%s: %s", name, reasons[name])
		case strings.HasSuffix(name, ".txtar"):
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, reason := range scenarioReasons(t, name, string(text)) {
				t.Logf("%s: %s", name, reason)
			}
		}
		return nil
	}))
	for name := range reasons {
		require.True(t, seen[name], "%s is compiled for Windows, or is no more: take it off the list of this test", name)
	}
}

// scenarioReasons returns why parts of a scenario do not run on Windows.
func scenarioReasons(t *testing.T, name, text string) (reasons []string) {
	t.Helper()
	script, _, _ := strings.Cut(text, "\n-- ")
	whole := regexp.MustCompile(`(?m)^\[(?:!unix|windows|!linux)\] (?:skip|stop) '(.*)'$`)
	part := regexp.MustCompile(`(?m)^# Not on Windows: (.*)$`)
	conditions := regexp.MustCompile(`(?m)^(?:\[[^]]*\] )*\[(?:unix|linux|darwin|!windows|links|exec:\w+)\] `)
	windowsAlone := regexp.MustCompile(`(?m)^\[!windows\] (?:skip|stop) `)
	otherwise := regexp.MustCompile(`(?m)^\[(?:windows|!unix)\] `)
	for paragraph := range strings.SplitSeq(script, "\n\n") {
		if found := whole.FindStringSubmatch(paragraph); found != nil {
			return append(reasons, found[1]) // and what follows
		}
		found := part.FindStringSubmatch(paragraph)
		if found != nil {
			reasons = append(reasons, found[1])
		}
		require.True(t, found != nil || !conditions.MatchString(windowsAlone.ReplaceAllString(paragraph, "")) || otherwise.MatchString(paragraph),
			"%s: a condition leaves Windows out without a line `# Not on Windows: reason` in its paragraph:\n%s", name, paragraph)
	}
	return reasons
}

// TestWindowsStepHasThePackages holds the step `windows` of CI to every package that has code or tests of its own for Windows.
func TestWindowsStepHasThePackages(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	step, err := os.ReadFile(filepath.Join(root, ".ci", "windows", "run"))
	require.NoError(t, err)
	var patterns []string
	for _, found := range regexp.MustCompile(`(?m)^[^#\n]*(\./internal/[\w/.]+)`).FindAllSubmatch(step, -1) {
		patterns = append(patterns, string(found[1]))
	}
	require.NotEmpty(t, patterns)
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "internal"), func(file string, entry os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_windows.go") && !strings.HasSuffix(file, "_windows_test.go") {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder = "./" + filepath.ToSlash(folder)
		if folder == "./internal/server" { // its file is a constant of tests that take minutes
			return nil
		}
		require.True(t, slices.ContainsFunc(patterns, func(pattern string) bool {
			under, all := strings.CutSuffix(pattern, "/...")
			return folder == pattern || all && (folder == under || strings.HasPrefix(folder, under+"/"))
		}), ".ci/windows/run does not run the tests of %s, which has files of its own for Windows", folder)
		return nil
	}))
}
