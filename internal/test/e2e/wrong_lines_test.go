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
	{"trasnfer list --limit 1", `no command "trasnfer"`, "did you mean payctl transfer list?", true},
	{"transfer lst --limit 1", `no command "lst"`, "did you mean payctl transfer list?", true},
	{"-o json trasnfer list", `no command "trasnfer"`, "did you mean payctl transfer list?", true},
	{"--limit 1 trasnfer list", `no command "trasnfer"`, "did you mean payctl transfer list?", true},
	{"accuonts list --kyc-status pending", `no command "accuonts"`, "did you mean payctl accounts list?", true},
	{"account lits", `no command "lits"`, "did you mean payctl accounts list?", true},
	{"transfer atuo --amount 5", `no command "atuo"`, "did you mean payctl transfer auto", false},
	{"contcats get sct_1", `no command "contcats"`, "did you mean payctl contacts get sct_1?", false},
	{"sandbox clokc get", `no command "clokc"`, "did you mean payctl sandbox clock get?", true},
	{"help transfer lisst", `no command "lisst"`, "did you mean payctl transfer list?", true},
	{"transfer help lisst", `no command "lisst"`, "did you mean payctl transfer list?", true},
	{"payctl transfer list", `no command "payctl"`, "did you mean payctl transfer list?", true},
	{"-h trasnfer", `no command "trasnfer"`, "did you mean payctl transfer?", true},
	{"trasnfer list --help", `no command "trasnfer"`, "did you mean payctl transfer list?", true},
	{"frobnicate", `no command "frobnicate"`, "payctl --help", true},
	{"sandbox outcomes --help", `no command "outcomes"`, "payctl sandbox --help", true},
	{"accounts frobnicate --all", `no command "frobnicate"`, "payctl accounts --help", true},

	// The verb first, a noun that is missing, an identifier in place of the verb.
	{"get accounts", `no command "get"`, "payctl accounts list", true},
	{"list transfers --limit 5", `no command "list"`, "payctl transfer list", true},
	{"get transfer trf_1", `no command "get"`, "payctl transfer get trf_1", false},
	{"create account", `no command "create"`, "payctl accounts create", false},
	{"delete account acc_1", `no command "delete"`, "payctl accounts get acc_1", false},
	{"list", `no command "list"`, "payctl contacts list", true},
	{"faults list", `no command "faults"`, "payctl sandbox faults", false},
	{"batch rows.csv", `no command "batch"`, "payctl transfer batch", false},
	{"transfer trf_01kdwcj4jg9etbjcny9kh6prep", "trf_01kdwcj4jg9etbjcny9kh6prep", "payctl transfer get trf_01kdwcj4jg9etbjcny9kh6prep", false},

	// What other tools have, and what payctl has in its place.
	{"login", `no command "login"`, "payctl auth login", false},
	{"logout", `no command "logout"`, "payctl auth logout", false},
	{"whoami", `no command "whoami"`, "payctl auth status", true},
	{"init", `no command "init"`, "payctl profile set PROFILE base_url URL", false},
	{"upgrade", "does not replace itself", "payctl version", true},
	{"webhook create https://x.example", "There are no webhooks", "payctl events tail", false},
	{"balance", "There is no balance", "payctl transfer list --state awaiting_funds", true},
	{"pay --amount 5", `no command "pay"`, "payctl transfer create --contact CONTACT --route ROUTE --amount AMOUNT --reference TEXT", false},
	{"send 5 EUR", `no command "send"`, "payctl contacts list", true},
	{"payments list", `no command "payments"`, "payctl routes list", true},
	{"beneficiaries list", "saved contacts", "payctl contacts list", true},
	{"serve start", "no argument start", "payctl serve", false},
	{"sandbox start", `no command "start"`, "payctl serve", false},
	{"serve --port 8080", "no flag --port", "payctl serve --addr 127.0.0.1:8080", false},
	{"serve --db postgres://ada:open-sesame@db/payctl", "no flag --db", "payctl serve --database URL", false},
	{"serve --dsn postgres://ada:open-sesame@db/payctl", "no flag --dsn", "payctl serve --database URL", false},
	{"serve --dsn postgres://db/payctl", "no flag --dsn", "payctl serve --database postgres://db/payctl", false},
	{"serve postgres://ada:open-sesame@db/payctl", "a flag names a database", "payctl serve --database URL", false},
	{"serve --data postgres://ada:open-sesame@db/payctl", "--data names a folder", "payctl serve --database URL", false},
	{"serve backup postgres://ada:open-sesame@db/payctl copy", "FOLDER is a database", "pg_dump --format custom --file FILE", false},
	{"serve backup --database postgres://ada:open-sesame@db/payctl copy", "such as pg_dump", "payctl serve backup --help", true},
	{"doctor --dsn postgres://ada:open-sesame@db/payctl", "no flag --dsn", "payctl doctor --database URL", false},
	{"profile create production", `no command "create"`, "payctl profile set production base_url URL", false},
	{"kyc approve acc_1", "decides identity checks", "payctl sandbox kyc acc_1 approved", false},
	{"kyc status acc_1", `no command "status"`, "payctl kyc get acc_1", false},
	{"kyc list", `no command "list"`, "payctl accounts list --kyc-status pending", true},
	{"kyc summary", `no command "summary"`, "payctl kyc stats", true},
	{"report", `no command "report"`, "payctl transfer report", true},
	{"accounts delete acc_1", "An account cannot be deleted", "payctl accounts get acc_1", false},
	{"accounts watch", `no command "watch"`, "payctl kyc watch --all", false},
	{"transfer pay --amount 5", `no command "pay"`, "payctl transfer create", false},
	{"transfer status trf_1", `no command "status"`, "payctl transfer get trf_1", false},
	{"transfer refund trf_1", "cannot take back a payment", "payctl transfer cancel trf_1", false},
	{"transfer cancel-all", "one transfer at a time", "payctl transfer list --state awaiting_funds", true},
	{"transfer delete trf_1", `no command "delete"`, "payctl transfer cancel trf_1", false},
	{"transfer retry", `no command "retry"`, "payctl transfer resolve", true},
	{"events watch", `no command "watch"`, "payctl events tail", false},

	// Flags of other tools and of other commands, and misspelt ones.
	{"transfer list --watch", "no flag --watch", "payctl transfer watch --all", false},
	{"transfer watch --follow trf_1", "no flag --follow", "payctl transfer watch trf_1", false},
	{"transfer get trf_1 --watch", "no flag --watch", "payctl transfer watch TRANSFER", false},
	{"accounts list --status pending", "no flag --status", "payctl accounts list --kyc-status pending", true},
	{"transfer list --status=awaiting_funds", "no flag --status", "payctl transfer list --state awaiting_funds", true},
	{"accounts list --page-size 5", "no flag --page-size", "payctl accounts list --limit 5", true},
	{"accounts list -n 5", "no flag -n", "payctl accounts list --limit 5", true},
	{"accounts list --json", "no flag --json", "payctl accounts list --output json", true},
	{"accounts get acc_1 --format yaml", "no flag --format", "payctl accounts get acc_1 --output yaml", false},
	{"transfer list --since 24h", "no flag --since", "payctl transfer list --created-after 24h", true},
	{"transfer list --before today", "no flag --before", "payctl transfer list --created-before today", true},
	{"transfer list --fields id,state", "no flag --fields", "payctl transfer list --columns id,state", true},
	{"transfer auto --dest sct_1", "no flag --dest", "payctl transfer auto --contact sct_1", false},
	{"transfer create --currency EUR", "no flag --currency", "payctl routes list", true},
	{"transfer list --debug", "no flag --debug", "payctl transfer list --verbose", true},
	{"auth login --client-secret hunter2", "A secret is never an argument", "payctl auth login --secret-stdin", false},
	{"accounts list --env production", "A profile says which service is meant", "payctl profile list", true},
	{"accounts list --kyc-sttaus pending", "no flag --kyc-sttaus", "did you mean --kyc-status?", false},
	{"transfer list --frobnicate", "no flag --frobnicate", "payctl transfer list --help", true},
	{"--all accounts list", "--all stands before the command", "payctl accounts list --all", true},

	// Values that are missing, empty, repeated, swallowed or of a wrong form.
	{"transfer list --reference a --reference b", `given "a" and "b"`, "give --reference once", false},
	{"-o json -o yaml accounts list", `given "json" and "yaml"`, "give --output once", false},
	{"serve --addr 127.0.0.1:1 --addr 127.0.0.1:2", `given "127.0.0.1:1" and "127.0.0.1:2"`, "give --addr once", false},
	{"serve --database 'user=a password=open-sesame' --database b", "--database takes one value, and was given two", "give --database once", false},
	{"serve --database-connections postgres://ada:open-sesame@db", "--database-connections must be a whole number", "payctl serve --help", true},
	{"serve --data folder --database postgres://", "--data and --database exclude each other", "payctl serve --help", true},
	{"serve --schema other", "--schema needs a database", "payctl serve --help", true},
	{"serve --database postgres:// --schema Other", "--schema must be a name of lower-case letters", "payctl serve --help", true},
	{"doctor --schema other", "--schema needs a database", "payctl doctor --help", true},
	{"transfer list --reference ''", "--reference was given an empty value", "whether a variable is not set", false},
	{"transfer auto --reference --dry-run", "--reference was given no value but the next flag, --dry-run", "whether a variable is not set", false},
	{"accounts list --limit", "--limit needs a value", "payctl accounts list --help", true},
	{"accounts list --limit many", `a whole number, not "many"`, "payctl accounts list --help", true},
	{"kyc watch acc_1 --timeout 5", `not "5"`, "payctl kyc watch --help", true},
	{"transfer watch --all --limit 5", "no flag --limit", "payctl transfer watch --help", true},

	{"accounts list -o tabel", `"tabel" is not one of`, "payctl help flags", true},
	{"accounts list --retries many", `a whole number, not "many"`, "payctl accounts list --help", true},
	{"accounts list --retries -1", `"-1" is not a whole number`, "payctl help flags", true},
	{"accounts list --base-url payments.example", "a base URL begins with https://", "payctl help flags", true},
	{"accounts list --jq .[", "Bad --jq expression", "payctl accounts list --help", true},
	{"accounts list --limit 5 --all", "--all and --limit exclude each other", "payctl accounts list --help", true},
	{"kyc watch acc_1 --until aproved", `--until does not take "aproved"`, "try approved instead", false},
	{"transfer watch trf_1 --until payment_procesed", `"payment_procesed"`, "try payment_processed instead", false},
	{"accounts list --kyc-status aproved", `--kyc-status does not take "aproved"`, "try approved instead", false},
	{"transfer list --state awaiting", `--state does not take "awaiting"`, "try awaiting_funds instead", false},
	{"transfer list --state await", `--state does not take "await"`, "give --allow-unknown-status too", false},
	{"accounts list --country England", `--country does not take "England"`, "payctl accounts list --help", true},
	{"events tail --types kyc", `--types does not take "kyc"`, "payctl events tail --help", true},
	{"sandbox kyc acc_1 aproved", `STATUS does not take "aproved"`, "try approved instead", false},
	{"sandbox transfer trf_1 stat", `STATE does not take "stat"`, "payctl sandbox transfer --help", true},
	{"transfer list --sort amount", "There are sourceAmount", "--columns help", false},
	{"transfer list --columns id,stat", `no column "stat"`, "try state instead", false},
	{"transfer list --created-after yestrday", `"yestrday" must be a time`, "payctl transfer list --help", true},
	{"transfer list --tz Berlin", `"Berlin" must be a name`, "payctl transfer list --help", true},
	{"transfer report --by weekday", `no group "weekday"`, "payctl transfer report --help", true},
	{"serve --clock fast", "--clock must be real, manual", "payctl serve --help", true},
	{"sandbox clock set fast", `The mode "fast"`, "payctl sandbox clock set --help", true},
	{"sandbox faults add drop", `The rule "drop"`, "payctl sandbox faults add --help", true},
	{"profile set local timeot 3", `"timeot"`, "the keys of a profile are", false},
	{"profile use production", `no profile "production"`, "payctl profile set production base_url URL", false},
	{"kyc submit acc_1 --file passport.jpg", "--file passport.jpg is not NAME=PATH", "payctl kyc submit --help", true},

	// What a creation needs is named by its flags, all at once.
	{"transfer create", "--contact and --route are missing", "payctl transfer auto --contact CONTACT --route ROUTE", false},
	{"accounts create --type individual", "--email and --country are missing", "payctl accounts create --type KIND --email ADDRESS --country CODE", false},
	{"contacts create --label Ada --rail sepa", "--holder-name, --holder-type, --currency and --iban are missing", "payctl contacts create --label NAME", false},
	{"contacts update sct_1", "Name what to change with --label, --holder-name, --external-id, --metadata", "payctl contacts update --help", false},

	// Arguments that are missing, empty or too many.
	{"transfer get", "needs TRANSFER", "payctl transfer list", true},
	{"accounts get", "needs ACCOUNT", "payctl accounts get acc_", false},
	{"sandbox kyc acc_1", "needs STATUS", "payctl sandbox kyc ACCOUNT STATUS", false},
	{"profile set production base_url", "needs VALUE", "payctl profile set PROFILE KEY VALUE", false},
	{"kyc watch", "needs ACCOUNT", "payctl kyc watch --all", false},
	{"accounts update", "needs ACCOUNT", "payctl accounts list", true},
	{"profile get", "needs PROFILE and KEY", "payctl profile list", true},
	{"ping now", `no argument "now"`, "payctl ping --help", true},
	{"accounts get ''", "was given an empty ACCOUNT", "whether a variable is not set", false},
	{"accounts list acc_1", `no argument "acc_1"`, "payctl accounts list --help", true},
	{"transfer -o json", "payctl transfer needs a command", "payctl transfer --help", true},

	// Files.
	{"accounts import absent.csv", "absent.csv", "check the path, which begins in", false},
	{"transfer batch absent.csv", "absent.csv", "check the path, which begins in", false},
	{"transfer auto --contact sct_1 --route 'base:USDC,sepa:EUR' --amount 1", "--route must have the form", "payctl transfer auto --help", true},
	{"transfer auto --contact sct_1 --route 'base:USDC->sepa:EUR' --amount 1,50", "--amount must be", "payctl transfer auto --help", true},
}

// TestWrongLinesEndWithANextStep runs each of the wrong lines, and then what payctl proposes.
func TestWrongLinesEndWithANextStep(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(wrongLines), 60)
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
