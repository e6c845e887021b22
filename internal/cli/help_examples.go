package cli

import (
	"slices"
	"strings"
)

// An example is a line of the examples that neither PowerShell nor cmd reads, or that runs programs of other systems, with
// what the help shows on Windows in its place. An empty text leaves the line out.
type example struct{ line, onWindows string }

var posixExamples = []example{
	{
		`echo '{"address":{"line2":null}}' | payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --input -`,
		`payctl accounts update acc_01kdwcj2m07dx6vaehz84r9gfw --input changes.json`,
	},
	{
		`payctl auth login --client-id my-client --secret-stdin < secret.txt`,
		`type secret.txt | payctl auth login --client-id my-client --secret-stdin`,
	},
	{
		`curl -q --noproxy '*' -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1`,
		`curl.exe -q -H "Authorization: Bearer $(payctl auth token)" http://127.0.0.1:8700/accounts/v1   # in PowerShell`,
	},
	{`PAYCTL_TOKEN=$(payctl auth token) ./nightly-job`, `$env:PAYCTL_TOKEN = payctl auth token   # in PowerShell`},
	// Windows PowerShell passes no quotes within an argument.
	{`payctl doctor -o json | jq -r '.checks[] | select(.result == "failed") | .fix'`, `payctl doctor --jq ".checks[].fix"`},
	{
		`payctl sandbox requests list --all --jq '[.[] | select(.operation == "createAutoTransfer")] | length'`,
		`payctl sandbox requests list --all --jq ".[].operation"`,
	},
	{
		`payctl transfer report --batch payroll-2026-11 --by currency --jq '.[] | select(.currency == "USDC").fees'`,
		`payctl transfer report --batch payroll-2026-11 --by currency --jq ".[].fees"`,
	},
	{
		`payctl transfer resolve --list --all -o json | jq -r '.[] | select(.outcome == "refused") | .reference'`,
		`payctl transfer resolve --list --all --jq ".[].reference"`,
	},
	{`CURSOR=$(payctl events cursor)`, `$cursor = payctl events cursor   # in PowerShell`},
	{`payctl events tail --after "$CURSOR"`, `payctl events tail --after $cursor`},
	{`payctl ping --wait 30s && ./run-tests`, `payctl ping --wait 30s`}, // Windows PowerShell has no &&
	{`EDITOR='code --wait' payctl profile edit`, `$env:EDITOR = "code --wait"   # in cmd: set "EDITOR=code --wait"`},
	{`payctl sandbox snapshot - | gzip > world.json.gz`, ``},
	{`payctl serve -- sh -c 'payctl accounts list'`, `payctl serve -- payctl accounts list`},
	{
		`mkdir restored && cp backup.db restored/payctl.db && payctl serve --data restored`,
		"mkdir restored\n  copy backup.db restored\\payctl.db\n  payctl serve --data restored",
	},
}

// examples returns the examples of a command for the shells of a system: cmd has no single quotes. The pages in docs have
// those of other systems than Windows, so that they do not depend on where they are made.
func examples(system, text string) string {
	if system != "windows" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		isLine := func(e example) bool { return e.line == strings.TrimSpace(line) }
		if at := slices.IndexFunc(posixExamples, isLine); at >= 0 {
			lines[i] = "  " + posixExamples[at].onWindows
		}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "  " })
	return strings.ReplaceAll(strings.Join(lines, "\n"), "'", `"`)
}
