package e2e

import (
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrongLines are command lines that users try and that payctl does not accept. Each ends with the exit code 2, names
// what is wrong, and proposes a next step that contains the text. A step with run is run as it stands; of the others
// the help is shown.
var wrongLines = []struct {
	line, names, next string
	run               bool
}{
	// Misspelt commands, also with flags, which are not reported in their place.
	{"trasnfer list --limit 1", `no command "trasnfer"`, "did you mean payctl transfer?", false},
	{"account lits", `no command "lits"`, "did you mean payctl accounts list?", true},
	{"help transfer lisst", `no command "lisst"`, "did you mean payctl transfer list?", true},
	{"frobnicate", `no command "frobnicate"`, "payctl --help", true},
	{"transfer trf_1", `no command "trf_1"`, "payctl transfer --help", true},

	// What other tools have, and what payctl has in its place.
	{"serve postgres://ada:open-sesame@db/payctl", "takes no argument", "put -- before a command to run", false},
	{"serve --data postgres://ada:open-sesame@db/payctl", "--data names a folder", "payctl serve --database URL", false},

	// Misspelt flags. A secret is not repeated.
	{"auth login --client-secret open-sesame", "Unknown flag: --client-secret", "payctl auth login --help", true},
	{"accounts list --statsu pending", "Unknown flag: --statsu", "did you mean --status?", false},

	// Values that are missing, empty, swallowed or of a wrong form.
	{"transfer list --reference ''", "--reference was given an empty value", "whether a variable is not set", false},
	{"transfer auto --reference --dry-run", "--reference was given no value but the next flag, --dry-run", "whether a variable is not set", false},
	{"accounts list --limit many", `Invalid argument "many"`, "payctl accounts list --help", true},

	{"accounts list --base-url payments.example", "a base URL begins with https://", "payctl help flags", true},
	{"accounts list --jq .[", "--jq expression \".[\": unexpected EOF", "payctl accounts list --help", true},
	{"kyc watch acc_1 --until aproved", `--until does not take "aproved"`, "try approved instead", false},
	{"transfer list --columns id,stat", `--columns does not take "stat"`, "try state instead", false},

	// What a creation needs is named by its flags, all at once.
	{"transfer create", "missing: --contact, --route", "payctl transfer auto --contact CONTACT --route ROUTE", false},

	// Arguments that are missing, empty or too many.
	{"accounts get", "needs ACCOUNT", "payctl accounts list", false},
	{"accounts get ''", "was given an empty ACCOUNT", "whether a variable is not set", false},
	{"accounts list acc_1", `no argument "acc_1"`, "payctl accounts list --help", true},
	// Files.
	{"accounts import absent.csv", "absent.csv", "payctl accounts import --help", false},
	{"transfer auto --contact sct_1 --route 'base:USDC->sepa:EUR' --amount 1,50", "--amount must be", "payctl transfer auto --help", true},
}

// TestWrongLinesEndWithANextStep runs each of the wrong lines, and then what payctl proposes.
func TestWrongLinesEndWithANextStep(t *testing.T) {
	t.Parallel()
	url := serve(t)
	credentials := []string{"PAYCTL_CLIENT_ID=wrong", "PAYCTL_CLIENT_SECRET=secret", "PAYCTL_CONFIG_DIR=" + filepath.Join(t.TempDir(), "config")}
	for i, row := range wrongLines {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(row.line, func(t *testing.T) {
			t.Parallel()
			ended := runProgram(t, url, credentials, shellWords(row.line))
			shown := string(ended.stderr)
			require.Equal(t, 2, ended.code, shown)
			require.Contains(t, shown, row.names)
			require.NotContains(t, shown+string(ended.stdout), "open-sesame")
			_, steps, _ := strings.Cut(shown, "Next:\n")
			next := row.next
			if runtime.GOOS == "windows" {
				next = strings.Replace(next, "id,state", `"id,state"`, 1) // a comma makes a list in PowerShell
			}
			require.Contains(t, steps, next)
			for step := range strings.Lines(steps) {
				requireWorks(t, url, credentials, step, row.run && strings.Contains(step, next))
			}
		})
	}
}

// optional matches what may be left out of a usage.
var optional = regexp.MustCompile(` \[[^\]]*\]`)

// requireWorks fails unless the command in a next step is one: unless it works as it stands, if that is asked for, and
// unless it has help.
func requireWorks(t *testing.T, url string, credentials []string, step string, asItStands bool) {
	t.Helper()
	_, command, ok := strings.Cut(step, "payctl ")
	if !ok {
		return
	}
	command, _, _ = strings.Cut(strings.TrimSpace(command), "   (")
	command = optional.ReplaceAllString(command, "")
	args := shellWords(strings.TrimSuffix(command, "?"))
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	if asItStands {
		ended := runProgram(t, url, credentials, args)
		require.Zero(t, ended.code, "payctl %v: %s", args, ended.stderr)
		return
	}
	ended := runProgram(t, url, credentials, append(args, "--help"))
	require.Zero(t, ended.code, "payctl %v: %s", args, ended.stderr)
	if !slices.Contains(args, "--help") {
		require.NoError(t, accepts(args), command)
	}
}
