package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"
)

func write(t testing.TB, dir, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600))
}

func readBack(t testing.TB, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	require.NoError(t, err)
	return string(data)
}

func load(t testing.TB, dir string) *File {
	t.Helper()
	f, err := Load(dir)
	require.NoError(t, err)
	return f
}

func TestFileErrors(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"profiles:\n  work:\n    base-url: https://x\n":                              `:3:5: unknown key "base-url", did you mean "base_url"?`,
		"profile:\n  work: {}\n":                                                     `:1: unknown key "profile"; here are current and profiles`,
		"base_url: https://x\n":                                                      ":1: unknown key \"base_url\"",
		"profiles:\n  work:\n    retries: many\n":                                    ":3:14: retries: \"many\" is not a whole number",
		"profiles:\n  w: {base_url: 'https://a:hunter2@c'}\n":                        ":2:17: base_url: a base URL contains no user name",
		"profiles:\n  w:\n    allow_insecure_http: yes\n":                            ":3:26: allow_insecure_http: \"yes\" is neither true nor false",
		"profiles:\n  w:\n    output:\n":                                             ":3:12: output: no value",
		"profiles:\n  w:\n    output: [json]\n":                                      ":3:13: output: a single value",
		"profiles:\n  w:\n    ca_cert: ca.pem\n":                                     ":3:14: ca_cert: \"ca.pem\" is not absolute",
		"profiles:\n  w:\n    operations:\n      getKycStatus: FETCH /x\n":           ":4:21: operations.getKycStatus: METHOD /path",
		"profiles:\n  w:\n    operations:\n      getKycStatus: GET //evil.example\n": ":4:21: operations.getKycStatus",
		"profiles:\n  w:\n    operations.getKyc: GET /x\n":                           ":3:5: unknown key",
		"profiles:\n  w:\n    token: hunter2\n":                                      ":3:5: \"token\" is a secret",
		"profiles:\n  w:\n    output: json\n    output: csv\n":                       ":4:5: output is given twice",
		"profiles:\n  a b: {}\n":                                                     ":2: \"a b\" is not a profile name",
		"profiles:\n  null: {}\n":                                                    ":2: a plain name",
		"current: null\n":                                                            ":1: no value",
		"current: a/b\n":                                                             ":1: \"a/b\" is not a profile name",
		"profiles:\n  a: &x {output: json}\n  b: *x\n":                               ":3:6: : a mapping",
		"profiles:\n  a: &x {output: json}\n  b:\n    <<: *x\n":                      ":4:5: <<",
		"profiles:\n  a:\n    client_id: !!binary aGk=\n":                            "!!binary",
		"- a\n":                                  ":1: a mapping",
		"current: a\n---\ncurrent: b\n":          "more than one",
		"profiles:\n  w:\n    output: json: x\n": ":3: not valid YAML",
		"# é\nprofiles:\n  caf\xe9: {}\n":        "not valid YAML",
		"#" + strings.Repeat("x", 1<<20):         "larger than",
	} {
		dir := t.TempDir()
		write(t, dir, text)
		f, err := Load(dir)
		for i := 0; err == nil && i < len(f.Profiles()); i++ { // a mistake in a profile affects only that profile
			_, err = f.Resolve(Flags{KeyProfile: f.Profiles()[i], KeyBaseURL: "https://x.example"}, environ())
		}
		var bad *Error
		require.ErrorAs(t, err, &bad)
		require.Contains(t, err.Error(), filepath.Join(dir, FileName))
		require.Contains(t, err.Error(), says)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestAbsentAndEmptyFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# nothing\n", "---\n", "~\n", "profiles:\n", "{}\n"} {
		dir := t.TempDir()
		write(t, dir, text)
		f := load(t, dir)
		require.Equal(t, []string{"local"}, f.Profiles(), "%q", text)
		require.Equal(t, "local", f.Current())
		require.NoError(t, f.Set("work", "output", "json"), "%q", text)
		require.Equal(t, []string{"local", "work"}, load(t, dir).Profiles())
		require.Equal(t, strings.HasPrefix(text, "#"), strings.Contains(readBack(t, dir), "# nothing"))
	}
}

func TestChangesKeepCommentsAndOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, `# ours
profiles:
  # the real thing
  Work:
    client_id: "0123" # from the portal
    base_url: https://api.example
  b: {output: json}
current: Work
`)
	f := load(t, dir)
	require.NoError(t, f.Set("Work", "client_id", "null"))
	require.NoError(t, f.Set("Work", "operations.getKycStatus", "GET /kyc/{accountId}/v2"))
	require.NoError(t, f.Set("Work", "retries", "5"))
	require.NoError(t, f.Set("Work", "timeout", "5s"))
	require.NoError(t, f.Set("Work", "timeout", ""))
	require.NoError(t, f.Remove("b"))
	require.Equal(t, `# ours
profiles:
  # the real thing
  Work:
    client_id: "null" # from the portal
    base_url: https://api.example
    operations:
      getKycStatus: GET /kyc/{accountId}/v2
    retries: 5
current: Work
`, readBack(t, dir))
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	f := load(t, t.TempDir())
	for key, value := range map[string]string{
		"baseurl": "x", "base-url": "x", "profile": "x", "base_url.x": "x", "": "x", "operationz.a": "x",
		"retries": "-1", "timeout": "30", "output": "xml", "operations": "GET /x", "members.transfer.iban": "/x",
		"operations.a b": "GET /x",
		"operations.a":   "GET x", "idempotency_header": "Authorization", "token": "hunter2", "client_secret": "hunter2",
		"idempotency_keys": "ignored", "client_id": "a\nb", "credential_store": "vault", "ca_cert": "~/ca.pem",
	} {
		err := f.Set("work", key, value)
		require.ErrorAs(t, err, new(*Error), key)
		require.NotContains(t, err.Error(), "hunter2")
	}
	require.ErrorAs(t, f.Set("../x", "output", "json"), new(*Error))
	require.ErrorAs(t, f.Set("ghost", "output", ""), new(*Error))
	require.NoFileExists(t, f.Path())
}

// If the file has become invalid since it was loaded, a change fails and leaves it as it is.
func TestChangeAfterTheFileBroke(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := load(t, dir)
	write(t, dir, "nonsense")
	require.ErrorAs(t, f.Set("work", "output", "json"), new(*Error))
	require.Equal(t, "nonsense", readBack(t, dir))
}

// Reading returns the value that was set, even one that YAML could read as something else.
func TestWhatIsSetIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := load(t, dir)
	for _, name := range []string{"local", "Work", "work", "null", "1", "true", "a.b"} {
		for _, id := range []string{
			"null", "~", "true", "0123", "1e3", "2020-01-01", "- a", "a #b", "'", `"`, " a ", "{", "!x", "&x",
			"*x", "|", "%", "ß中",
		} {
			require.NoError(t, f.Set(name, KeyClientID, id))
			value, err := load(t, dir).Value(name, KeyClientID)
			require.NoError(t, err)
			require.Equal(t, id, value)
		}
		require.NoError(t, f.Use(name))
		require.Equal(t, name, load(t, dir).Current())
		require.NoError(t, f.Remove(name))
		require.Equal(t, "local", load(t, dir).Current())
	}
}

// A change keeps the comments of a file from a Windows editor, and writes UTF-8 with LF.
func TestChangeOfAFileFromWindows(t *testing.T) {
	t.Parallel()
	const before = "# mine, Zoë\n\n# current\ncurrent: work # now\n" +
		"profiles:\n  # at work\n  work:\n    output: json # for scripts\n"
	crlf := strings.ReplaceAll(before, "\n", "\r\n")
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(crlf)
	require.NoError(t, err)
	for _, saved := range []string{before, crlf, "\ufeff" + before, "\ufeff" + crlf, utf16} {
		dir := t.TempDir()
		write(t, dir, saved)
		require.NoError(t, load(t, dir).Set("work", "client_id", "Zoë"))
		require.Equal(t, before+"    client_id: Zoë\n", readBack(t, dir), "%q", saved)
	}
}
