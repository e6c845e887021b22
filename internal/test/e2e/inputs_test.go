package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"
)

// An encoding is a way to save a text that has LF line ends and no byte order mark.
type encoding struct {
	name string
	save func(text string) string
}

// encodings are those of editors and shells. Windows PowerShell 5 writes UTF-16 with `>`, and UTF-8 with a byte order mark
// with -Encoding utf8. The Windows program, which starts slowly in CI, is run with some of them, and so is each with -short.
func encodings() []encoding {
	if testing.Short() || runtime.GOOS == "windows" {
		return slices.Delete(slices.Clone(allEncodings), 1, 3)
	}
	return allEncodings
}

var allEncodings = []encoding{
	{"LF", func(text string) string { return text }},
	{"CRLF", withCRLF},
	{"byte order mark, LF", func(text string) string { return "\ufeff" + text }},
	{"byte order mark, CRLF", func(text string) string { return "\ufeff" + withCRLF(text) }},
	{"UTF-16", func(text string) string {
		encoded, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(withCRLF(text))
		return encoded
	}},
}

func withCRLF(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// A desk is a folder from which programs are run, with an environment.
type desk struct {
	t   *testing.T
	dir string
	env []string
}

func newDesk(t *testing.T, url string) desk {
	dir := t.TempDir()
	return desk{t, dir, append(os.Environ(), "PAYCTL_CONFIG_DIR="+filepath.Join(dir, "config"), "PAYCTL_BASE_URL="+url,
		"PAYCTL_CLIENT_ID="+filepath.Base(t.Name()), "PAYCTL_CLIENT_SECRET=hush", "PAYCTL_CREDENTIAL_STORE=file")}
}

// save writes a file of the folder.
func (d desk) save(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(d.t, os.WriteFile(path, []byte(text), 0o600))
}

// run runs the program, with a text on standard input.
func (d desk) run(stdin string, args ...string) ending {
	d.t.Helper()
	command := exec.CommandContext(d.t.Context(), "payctl", args...)
	var stdout, stderr bytes.Buffer
	command.Dir, command.Env, command.Stdin, command.Stdout, command.Stderr = d.dir, d.env, strings.NewReader(stdin), &stdout, &stderr
	_ = command.Run() // the exit code says it
	require.NotNil(d.t, command.ProcessState, "%v", args)
	return ending{command.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}
}

// must runs the program, which has to succeed, and returns what it printed.
func (d desk) must(stdin string, args ...string) string {
	d.t.Helper()
	ended := d.run(stdin, args...)
	require.Zero(d.t, ended.code, "%v: %s", args, ended.stderr)
	return strings.TrimSpace(string(ended.stdout))
}

// person is the body of an account.
const person = `{
  "type": "individual",
  "firstName": "Zoë 😀",
  "lastName": "Ł",
  "email": "zoe@example.com",
  "country": "GB"
}
`

// TestInputsInEveryEncoding has the program read each of its inputs as editors and shells of Windows save them. Files
// travel, so that it is the same on every system.
func TestInputsInEveryEncoding(t *testing.T) {
	t.Parallel()
	url := serve(t)
	at := newDesk(t, url)
	at.save("person.json", person)
	account := at.must("", "accounts", "create", "--input", "person.json", "--jq", ".id")
	contact := at.must("", "contacts", "create", "--account", account, "--label", "Zoë", "--holder-name", "Zoë Ł", "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000", "--jq", ".id")
	at.must("", "kyc", "watch", account, "--timeout", "30s")
	at.must("", "transfer", "auto", "--contact", contact, "--route", "base:USDC->sepa:EUR", "--amount", "5", "--reference", "Zoë", "-q")
	snapshot := at.must("", "sandbox", "snapshot", "-")
	routes, err := os.ReadFile(filepath.Join("..", "..", "routes", "catalogue.yaml"))
	require.NoError(t, err)
	const config = "# mine\ncurrent: zoe\nprofiles:\n  zoe: # hers\n    client_id: Zoë 😀\n    base_url: https://payments.example\n"

	for _, c := range []struct {
		name, file, text, line string // FILE of the line is the file, or standard input in the second run
		stdin                  bool   // the input may be standard input
		env                    []string
		want                   string // the output contains it
	}{
		{name: "configuration", file: "config/config.yaml", text: config, line: "profile list -o json", want: "Zoë 😀"},
		{name: "catalogue", file: "routes.yaml", text: withLF(routes), line: "serve --catalogue FILE -- payctl routes list -o json", want: "pix"},
		{name: "secret", line: "auth login --client-id another --secret-stdin --jq .clientId", text: "hüsh\n", stdin: true,
			env: []string{"PAYCTL_CLIENT_SECRET="}, want: "another"},
		{name: "body of a call", file: "body.json", text: person, stdin: true, want: "Zoë 😀",
			line: "api POST /accounts/v1 --input FILE --idempotency-key a --jq .firstName,.id"},
		{name: "body of a command", file: "body.json", text: person, stdin: true, want: "Zoë 😀",
			line: "accounts create --input FILE --idempotency-key c --jq .firstName,.id"},
		{name: "patch", file: "patch.json", text: "{\n\"metadata\": {\"team\": \"blåbær\"}\n}\n", stdin: true, want: "blåbær",
			line: "accounts update " + account + " --input FILE --jq .metadata"},
		{name: "identifiers", file: "ids.txt", text: "# who\n" + account + "\n" + account + "\n", stdin: true, want: account,
			line: "kyc watch --from FILE --timeout 30s -o ndjson"},
		{name: "identifiers in columns", file: "ids.csv", text: "name,accountId\nZoë," + account + "\n", stdin: true, want: account,
			line: "kyc watch --from FILE --timeout 30s -o ndjson"},
		{name: "accounts, CSV", file: "people.csv", stdin: true, want: "Zoë 😀",
			text: "external_id,type,first_name,last_name,email,country\nz-1,individual,Zoë 😀,Ł,zoe@example.com,GB\n",
			line: "accounts import FILE --dry-run --show-pii -o json"},
		{name: "accounts, other columns", file: "people.csv", stdin: true, want: "Zoë 😀",
			text: "Vorname,Größe,last_name,email,country\nZoë 😀,7,Ł,zoe@example.com,GB\n",
			line: "accounts import FILE --dry-run --show-pii -o json --set type=individual --map external_id=email,first_name=Vorname"},
		{name: "accounts, NDJSON", file: "people.ndjson", stdin: true, want: "Zoë 😀",
			text: `{"external_id":"z-1",` + strings.ReplaceAll(person, "\n", "")[1:] + "\n",
			line: "accounts import FILE --dry-run --show-pii -o json"},
		{name: "contacts", file: "suppliers.csv", stdin: true, want: "Zoë",
			text: "external_id,account,label,holder_name,holder_type,iban\nz-1," + account + ",Zoë,Z Ł,individual,DE89370400440532013000\n",
			line: "contacts import FILE --dry-run --show-pii -o json --set rail=sepa --set currency=EUR"},
		{name: "batch", file: "rows.csv", text: "reference,contact,route,amount\nZoë-1," + contact + ",base:USDC->sepa:EUR,5\n", stdin: true,
			line: "transfer batch FILE --yes --dry-run -o json", want: "bat_"},
		{name: "expected payments, CSV", file: "paid.csv", text: "reference,amount\nZoë,5\n", stdin: true,
			line: "transfer report --against FILE -o json"},
		{name: "expected payments, JSON", file: "paid.json", text: "[\n{\"reference\": \"Zoë\", \"amount\": \"5\"}\n]\n", stdin: true,
			line: "transfer report --against FILE -o json"},
		{name: "snapshot", file: "world.json", text: snapshot + "\n", stdin: true, line: "sandbox restore FILE --jq .mode",
			env: []string{"PAYCTL_CLIENT_ID=restored"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := map[string]ending{} // by the line
			for _, form := range encodings() {
				dir := t.TempDir()
				d := desk{t, dir, append(at.env[:len(at.env):len(at.env)], "PAYCTL_CONFIG_DIR="+filepath.Join(dir, "config"))}
				d.env = append(d.env, c.env...)
				lines := map[string]string{} // standard input by line
				if c.file != "" {
					d.save(c.file, form.save(c.text))
					lines[strings.ReplaceAll(c.line, "FILE", c.file)] = ""
				}
				if c.stdin && (form.name == "LF" || form.name == "UTF-16" || c.file == "") {
					lines[strings.ReplaceAll(c.line, "FILE", "-")] = form.save(c.text)
				}
				for line, stdin := range lines {
					ended := d.run(stdin, strings.Fields(line)...)
					require.Contains(t, []int{0, 15}, ended.code, "%s: %s: %s", form.name, line, ended.stderr)
					require.Contains(t, string(ended.stdout), c.want, "%s: %s", form.name, line)
					if first, isKnown := before[line]; isKnown {
						require.Equal(t, string(first.stdout), string(ended.stdout), "%s: %s", form.name, line)
						require.Equal(t, first.code, ended.code, "%s: %s", form.name, line)
					}
					before[line] = ended
				}
			}
		})
	}
}

func withLF(text []byte) string { return strings.ReplaceAll(string(text), "\r\n", "\n") }

// TestStateInEveryEncoding has a person save the files that the program keeps itself with an editor.
func TestStateInEveryEncoding(t *testing.T) {
	t.Parallel()
	d := newDesk(t, serve(t))
	d.save("person.json", person)
	account := d.must("", "accounts", "create", "--input", "person.json", "--jq", ".id")
	d.env = append(d.env, "PAYCTL_CLIENT_ID=", "PAYCTL_CLIENT_SECRET=")
	client := filepath.Base(t.Name())
	d.must("hush\n", "auth", "login", "--client-id", client, "--secret-stdin")
	next := []string{"events", "tail", "--resume", "a", "--subject", account, "--limit", "1", "--jq", ".id"}
	first := d.must("", append(next, "--after", "beginning")...)
	files := map[string]string{} // texts by their paths
	for _, pattern := range []string{"credentials.json", "events/*.json"} {
		found, err := filepath.Glob(filepath.Join(d.dir, "config", "state", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.Len(t, found, 1, pattern)
		text, err := os.ReadFile(found[0])
		require.NoError(t, err)
		files[found[0]] = string(text)
	}
	var second string
	for _, form := range encodings() {
		for path, text := range files {
			require.NoError(t, os.WriteFile(path, []byte(form.save(text)), 0o600))
		}
		require.Equal(t, client, d.must("", "auth", "status", "--jq", ".clientId"), form.name)
		id := d.must("", next...)
		require.NotEqual(t, first, id, form.name)
		if second == "" {
			second = id
		}
		require.Equal(t, second, id, form.name)
	}
}

// TestVariablesOfCmd has variables as cmd sets them in a line with &&, and a shell that reads a file with CRLF line ends.
func TestVariablesOfCmd(t *testing.T) {
	t.Parallel()
	url := serve(t)
	d := newDesk(t, url)
	require.Equal(t, filepath.Base(t.Name()), d.must("", "auth", "status", "--jq", ".clientId"))
	for _, end := range []string{" ", "\r", " \r\n"} {
		d.env = append(d.env, "PAYCTL_BASE_URL="+url+end, "PAYCTL_CLIENT_ID="+filepath.Base(t.Name())+end, "PAYCTL_CLIENT_SECRET=hush"+end,
			"PAYCTL_OUTPUT=json"+end, "PAYCTL_TIMEOUT=9s"+end, "PAYCTL_TOKEN="+end)
		require.Equal(t, "[]", d.must("", "accounts", "list", "--all"), "%q", end)
	}
	// `echo hush | payctl …` of cmd leaves the blank.
	d = newDesk(t, url)
	d.env = append(d.env, "PAYCTL_CLIENT_SECRET=")
	d.must("hush \r\n", "auth", "login", "--secret-stdin")
	require.Equal(t, "[]", d.must("", "accounts", "list", "--all", "-o", "json"))
}

// TestAFileSavedAgainIsPaidOnce sends a file, and then the same file as other programs save it, also from a machine without
// the journal of the first one.
func TestAFileSavedAgainIsPaidOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, serve(t))
	d.save("person.json", person)
	account := d.must("", "accounts", "create", "--input", "person.json", "--jq", ".id")
	contact := d.must("", "contacts", "create", "--account", account, "--label", "Zoë", "--holder-name", "Zoë Ł", "--holder-type", "individual",
		"--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000", "--jq", ".id")
	d.must("", "kyc", "watch", account, "--timeout", "30s")
	rows, people := "reference,contact,route,amount,metadata.note\n", "external_id,type,first_name,last_name,email,country\n"
	for _, name := range []string{"Zoë", "😀", "Łódź"} {
		rows += name + "," + contact + ",base:USDC->sepa:EUR,5,\"two\nlines\"\n"
		people += name + ",individual," + name + ",L,zoe@example.com,GB\n"
	}
	for i, form := range append(slices.Clip(encodings()), allEncodings[3]) {
		if i == len(encodings()) {
			d.env = append(d.env, "PAYCTL_STATE_DIR="+t.TempDir())
		}
		d.save("rows.csv", form.save(rows))
		d.save("people.csv", form.save(people))
		d.must("", "transfer", "batch", "rows.csv", "--yes", "-q")
		d.must("", "accounts", "import", "people.csv", "-q")
	}
	require.Equal(t, "3 transfers, 1 batch", d.must("", "transfer", "list", "--all", "--jq",
		`"\(length) transfers, \(map(.batchId) | unique | length) batch"`))
	require.Equal(t, "4", d.must("", "accounts", "list", "--all", "--jq", "length"))
}

// TestArgumentsThatAreNoText has arguments that are not UTF-8. On Windows, where arguments are UTF-16, this one is half of a
// pair of surrogates. Nothing is sent of it.
func TestArgumentsThatAreNoText(t *testing.T) {
	t.Parallel()
	d := newDesk(t, serve(t))
	const half = "half \xed\xa0\x80"
	create := []string{"accounts", "create", "--type", "individual", "--last-name", "L", "--email", "a@example.com", "--country", "GB"}
	for _, args := range [][]string{
		append(slices.Clip(create), "--first-name", half),
		append(slices.Clip(create), "--first-name", "F", "--external-id", half),
		append(slices.Clip(create), "--first-name", "F", "--metadata", "a="+half),
		{"accounts", "import", half},
		{"accounts", "get", half},
	} {
		ended := d.run("", args...)
		require.NotZero(t, ended.code, "%v: %s", args, ended.stdout)
		require.NotContains(t, string(ended.stderr), "payctl has a fault", "%v", args)
		require.True(t, utf8.Valid(ended.stderr), "%v: %s", args, ended.stderr)
	}
	require.Equal(t, "[]", d.must("", "accounts", "list", "--all", "-o", "json"))
}
