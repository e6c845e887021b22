package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// An encoding is a way to save a text. The text has LF line ends and no byte order mark.
type encoding struct {
	name string
	save func(text string) string
}

// encodings are those that editors and shells use. Windows PowerShell 5 writes UTF-16 with `>`, and UTF-8 with a byte
// order mark with -Encoding utf8.
var encodings = []encoding{
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

// person is a body that creates an account.
const person = `{
  "type": "individual",
  "firstName": "Zoë 😀",
  "lastName": "Ł",
  "email": "zoe@example.com",
  "country": "GB"
}
`

// TestInputsInEveryEncoding reads every input of the program as Windows editors and shells save it. Files move between
// systems, so this is the same on all of them.
func TestInputsInEveryEncoding(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	account := s.must("accounts", "list", "--jq", ".[].id")
	_, notes, code := s.pay("--amount", "5", "--reference", "Zoë")
	require.Zero(t, code, notes)
	s.pass(24 * time.Hour)
	snapshot := s.must("sandbox", "snapshot", "-")
	const importing = "accounts import FILE --dry-run --show-pii -o json"
	for _, c := range []struct {
		name, text, line, want string // FILE in line is the file, and standard input in the second run
	}{
		{"secret", "hüsh\n", "auth login --client-id another --secret-stdin --jq .clientId", "another"},
		{"body of a call", person, "api POST /accounts/v1 --input FILE --idempotency-key a --jq .firstName,.id", "Zoë 😀"},
		{"body of a command", person, "accounts create --input FILE --idempotency-key c --jq .firstName,.id", "Zoë 😀"},
		{
			"patch", "{\n\"metadata\": {\"team\": \"blåbær\"}\n}\n",
			"accounts update " + account + " --input FILE --jq .metadata", "blåbær",
		},
		{"identifiers", "# who\n" + account + "\n" + account + "\n", "kyc watch --from FILE -o ndjson", account},
		{"identifiers in columns", "name,accountId\nZoë," + account + "\n", "kyc watch --from FILE -o ndjson", account},
		{
			"CSV", "external_id,type,first_name,last_name,email,country\nz-1,individual,Zoë 😀,Ł,zoe@example.com,GB\n",
			importing, "Zoë 😀",
		},
		{
			"other columns", "Vorname,Größe,last_name,email,country\nZoë 😀,7,Ł,zoe@example.com,GB\n",
			importing + " --set type=individual --map external_id=email,first_name=Vorname", "Zoë 😀",
		},
		{"NDJSON", `{"external_id":"z-1",` + strings.ReplaceAll(person, "\n", "")[1:] + "\n", importing, "Zoë 😀"},
		{
			"batch",
			"reference,contact,route,amount,metadata.note\nZoë-1," + s.line[3] + ",base:USDC->sepa:EUR,5,\"two\nlines\"\n",
			"transfer batch FILE --yes --dry-run --jq .batchId", "bat_",
		},
		{"expected payments", "reference,amount\nZoë,5\n", "transfer report --against FILE -o json", "Zoë"},
		{
			"expected payments in JSON", "[\n{\"reference\": \"Zoë\", \"amount\": \"5\"}\n]\n",
			"transfer report --against FILE -o json", "Zoë",
		},
		{"snapshot", snapshot + "\n", "sandbox restore FILE --yes --jq type", "object"},
	} {
		var first ended
		for i, form := range encodings {
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(path, []byte(form.save(c.text)), 0o600))
			s.stdin = form.save(c.text)
			for _, name := range []string{path, "-"} {
				e := s.run(strings.Fields(strings.Replace(c.line, "FILE", name, 1))...)
				require.Zero(t, e.code, "%s, %s: %s", c.name, form.name, e.stderr)
				require.Contains(t, e.stdout, c.want, "%s, %s", c.name, form.name)
				if i == 0 {
					first = e
				}
				require.Equal(t, first.stdout, e.stdout, "%s, %s", c.name, form.name)
			}
		}
	}
}

// TestStateInEveryEncoding reads the program's own files after an editor has saved them.
func TestStateInEveryEncoding(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	account := s.must("accounts", "list", "--jq", ".[].id")
	s.stdin, s.env["PAYCTL_CLIENT_ID"], s.env["PAYCTL_CLIENT_SECRET"] = paytest.ClientSecret, "", ""
	s.must("auth", "login", "--client-id", paytest.ClientID, "--secret-stdin")
	next := []string{"events", "tail", "--resume", "a", "--subject", account, "--limit", "1", "--jq", ".id"}
	first := s.must(append(next, "--after", "beginning")...)
	files := map[string]string{} // texts by path
	for _, pattern := range []string{"credentials.json", "events/*.json"} {
		found, err := filepath.Glob(filepath.Join(s.env["PAYCTL_CONFIG_DIR"], "state", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.Len(t, found, 1, pattern)
		text, err := os.ReadFile(found[0])
		require.NoError(t, err)
		files[found[0]] = string(text)
	}
	ids := map[string]bool{first: true}
	for _, form := range encodings {
		for path, text := range files {
			require.NoError(t, os.WriteFile(path, []byte(form.save(text)), 0o600))
		}
		require.Equal(t, paytest.ClientID, s.must("auth", "status", "--jq", ".clientId"), form.name)
		ids[s.must(next...)] = true
	}
	require.Len(t, ids, 2, "the event after the first one")
}

// TestVariablesOfCmd sets variables as cmd does in a line with &&, and as a shell does from a file with CRLF.
func TestVariablesOfCmd(t *testing.T) { //nolint:paralleltest // it changes the environment of the process
	for _, end := range []string{"", " ", "\r", " \r\n"} {
		t.Setenv("PAYCTL_CLIENT_ID", "someone"+end)
		require.Equal(t, "someone", environment("PAYCTL_CLIENT_ID"))
	}
	u := newUser(t, paytest.Run(t, refserver.Config{}).URL)
	u.env["PAYCTL_CLIENT_ID"], u.env["PAYCTL_CLIENT_SECRET"] = paytest.ClientID, ""
	u.stdin = paytest.ClientSecret + " \r\n" // as echo of cmd writes it
	u.must("auth", "login", "--secret-stdin")
	require.Equal(t, "[]", u.must("accounts", "list", "--all", "-o", "json"))
}

// TestArgumentsThatAreNoText uses an argument that is not UTF-8. On Windows, where arguments are UTF-16, it is half of
// a surrogate pair. Nothing is sent.
func TestArgumentsThatAreNoText(t *testing.T) {
	t.Parallel()
	service := paytest.Run(t, refserver.Config{})
	u := newUser(t, service.URL)
	const half = "half \xed\xa0\x80"
	create := strings.Fields("accounts create --type individual --last-name L --email a@example.com --country GB")
	for _, line := range [][]string{
		append(slices.Clip(create), "--first-name", half),
		append(slices.Clip(create), "--first-name", "F", "--external-id", half),
		append(slices.Clip(create), "--first-name", "F", "--metadata", "a="+half),
		{"accounts", "import", half},
		{"accounts", "get", half},
	} {
		e := u.run(line...)
		require.NotZero(t, e.code, "%v: %s", line, e.stdout)
		require.NotContains(t, e.stderr, "payctl has a fault", "%v", line)
		require.True(t, utf8.ValidString(e.stderr), "%v: %s", line, e.stderr)
	}
	require.NotContains(t, u.must("sandbox", "requests", "--jq", ".[].operation"), "createAccount")
}
