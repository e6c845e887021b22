package cli

import "strings"

// onWindows are the lines of examples that neither PowerShell nor cmd reads, or that run programs of other systems, each
// with what the help shows on Windows in its place. An empty text leaves the line out.
var onWindows = strings.NewReplacer(
	// accounts update
	`  echo '{"address":{"line2":null}}' | payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --input -`,
	`  payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --input changes.json`,
	// auth login
	`  payctl auth login --client-id my-client --secret-stdin < secret.txt`,
	`  type secret.txt | payctl auth login --client-id my-client --secret-stdin`,
	// auth token
	`  curl -q --noproxy '*' -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1`,
	`  curl.exe -q -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1   # in PowerShell`,
	`  PAYCTL_TOKEN=$(payctl auth token) ./nightly-job`,
	`  $env:PAYCTL_TOKEN = payctl auth token   # in PowerShell`,
	// doctor, sandbox requests list, transfer report, transfer resolve: PowerShell 5 passes no quotes within an argument
	`  payctl doctor -o json | jq -r '.checks[] | select(.result == "failed") | .fix'`,
	`  payctl doctor --jq ".checks[].fix"`,
	`  payctl sandbox requests list --all --jq '[.[] | select(.operation == "createAutoTransfer")] | length'`,
	`  payctl sandbox requests list --all --jq ".[].operation"`,
	`  payctl transfer report --batch payroll-2026-11 --by currency --jq '.[] | select(.currency == "USDC").fees'`,
	`  payctl transfer report --batch payroll-2026-11 --by currency --jq ".[].fees"`,
	`  payctl transfer resolve --list --all -o json | jq -r '.[] | select(.outcome == "refused") | .reference'`,
	`  payctl transfer resolve --list --all --jq ".[].reference"`,
	// events cursor
	`  CURSOR=$(payctl events cursor)`, `  $cursor = payctl events cursor   # in PowerShell`,
	`  payctl events tail --after "$CURSOR"`, `  payctl events tail --after $cursor`,
	// ping, where Windows PowerShell has no &&
	`  payctl ping --wait 30s && ./run-tests`, `  payctl ping --wait 30s`,
	// profile edit
	`  EDITOR='code --wait' payctl profile edit`, `  $env:EDITOR = "code --wait"   # in cmd: set "EDITOR=code --wait"`,
	// sandbox snapshot
	"  payctl sandbox snapshot - | gzip > world.json.gz\n", "",
	"\n  payctl sandbox snapshot - | gzip > world.json.gz", "",
	// serve
	`  payctl serve -- sh -c 'payctl accounts list'`, `  payctl serve -- payctl accounts list`,
	// serve backup
	`  mkdir restored && cp backup.db restored/payctl.db && payctl serve --data restored`,
	"  mkdir restored\n  copy backup.db restored\\payctl.db\n  payctl serve --data restored",
)

// examples returns the examples of a command for the shells of a system: cmd has no single quotes. The pages in docs have those
// of other systems than Windows, so that they do not depend on where they are made.
func examples(system, text string) string {
	if system != "windows" {
		return text
	}
	return strings.ReplaceAll(onWindows.Replace(text), "'", `"`)
}
