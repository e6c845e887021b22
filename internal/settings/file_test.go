package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	f, err := Load(dir, nil)
	require.NoError(t, err)
	return f
}

func TestFileErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text   string
		line, column int
		reason       string
	}{
		{"unknown key", "profiles:\n  work:\n    base-url: https://x\n", 3, 5, `did you mean "base_url"?`},
		{"misspelt key", "profiles:\n  work:\n    output: json\n    idempotency_key: honoured\n", 4, 5, `did you mean "idempotency_keys"?`},
		{"unknown top level", "profile:\n  work: {}\n", 1, 1, `did you mean "profiles"?`},
		{"key at top level", "base_url: https://x\n", 1, 1, "belongs to a profile"},
		{"bad value", "profiles:\n  work:\n    retries: many\n", 3, 14, "whole number"},
		{"bad URL", "profiles:\n  w: {base_url: 'https://a:b@c'}\n", 2, 17, "no user name"},
		{"no unit", "profiles:\n  w:\n    timeout: 30\n", 3, 14, "with a unit"},
		{"quoted bool", "profiles:\n  w:\n    allow_insecure_http: yes\n", 3, 26, "neither true nor false"},
		{"null", "profiles:\n  w:\n    output:\n", 3, 12, "no value"},
		{"list", "profiles:\n  w:\n    output: [json]\n", 3, 13, "single value"},
		{"operation", "profiles:\n  w:\n    operations:\n      getKyc: FETCH /x\n", 4, 15, "GET, POST"},
		{"operation path", "profiles:\n  w:\n    operations:\n      getKyc: GET //evil.example/x\n", 4, 15, "one slash"},
		{"secret", "profiles:\n  w:\n    token: hunter2\n", 3, 5, "is a secret"},
		{"duplicate key", "profiles:\n  w:\n    output: json\n    output: csv\n", 4, 5, "twice, first on line 3"},
		{"duplicate profile", "profiles:\n  w: {}\n  w: {}\n", 3, 3, "twice"},
		{"profile name", "profiles:\n  a b: {}\n", 2, 3, "not a profile name"},
		{"current", "current: a/b\n", 1, 10, "not a profile name"},
		{"alias", "profiles:\n  a: &x {output: json}\n  b: *x\n", 3, 6, "must be a mapping"},
		{"merge", "profiles:\n  a: &x {output: json}\n  b:\n    <<: *x\n", 4, 5, "plain name"},
		{"tag", "profiles:\n  a:\n    client_id: !!binary aGk=\n", 3, 16, "!!binary"},
		{"root", "- a\n", 1, 1, "must be a mapping"},
		{"two documents", "current: a\n---\ncurrent: b\n", 2, 1, "more than one"},
		{"syntax", "profiles:\n  w:\n    output: json: x\n", 3, 5, "not valid YAML"},
		{"tab", "profiles:\n\tw: {}\n", 2, 2, "not valid YAML"},
		{"first line", "\"", 1, 1, "not valid YAML"},
		{"Latin-1", "# é\nprofiles:\n  caf\xe9: {}\n", 3, 6, "not UTF-8"},
		{"too large", "#" + strings.Repeat("x", 1<<20), 0, 0, "larger than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, c.text)
			_, err := Load(dir, nil)
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.ErrorAs(t, err, new(*Error))
			require.Equal(t, filepath.Join(dir, FileName), bad.Path)
			require.Contains(t, bad.Reason, c.reason)
			require.Equal(t, []int{c.line, c.column}, []int{bad.Line, bad.Column}, err.Error())
			require.NotContains(t, err.Error(), "hunter2")
		})
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
		require.NoError(t, f.SetValue("work", "output", "json"))
		require.NoError(t, f.Save(), "%q", text)
		require.Equal(t, []string{"local", "work"}, load(t, dir).Profiles())
		if strings.HasPrefix(text, "#") {
			require.Contains(t, readBack(t, dir), "# nothing")
		}
	}
	f := load(t, filepath.Join(t.TempDir(), "absent"))
	p, ok := f.Profile("local")
	require.True(t, ok)
	require.Equal(t, Profile{BaseURL: DefaultBaseURL}, p)
	require.Equal(t, "honoured", profileValue(t, f, "local", "idempotency_keys"))
}

func TestNotARegularFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, FileName), 0o700))
	_, err := Load(dir, nil)
	var bad *Error
	require.ErrorAs(t, err, &bad)
}

func TestEditsKeepCommentsAndOrder(t *testing.T) {
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
	require.NoError(t, f.SetValue("Work", "client_id", "null"))
	require.NoError(t, f.SetValue("Work", "operations.getKycStatus", "GET /kyc/v2"))
	require.NoError(t, f.SetValue("Work", "retries", "5"))
	require.NoError(t, f.Remove("b"))
	require.NoError(t, f.Save())
	require.Equal(t, `# ours
profiles:
  # the real thing
  Work:
    client_id: "null" # from the portal
    base_url: https://api.example
    operations:
      getKycStatus: GET /kyc/v2
    retries: 5
current: Work
`, readBack(t, dir))

	require.NoError(t, f.SetValue("Work", "operations.getKycStatus", ""))
	require.NoError(t, f.SetValue("Work", "retries", ""))
	require.NoError(t, f.Save())
	require.NotContains(t, readBack(t, dir), "operations")
	require.NotContains(t, readBack(t, dir), "retries")
}

func TestSetValueRefuses(t *testing.T) {
	t.Parallel()
	f := load(t, t.TempDir())
	for _, key := range []string{"baseurl", "base-url", "profile", "base_url.x", "", "operationz.a"} {
		err := f.SetValue("work", key, "x")
		var unknown *Error
		require.ErrorAs(t, err, &unknown, key)
		for _, known := range ProfileKeys() {
			require.Contains(t, err.Error(), known)
		}
	}
	for key, value := range map[string]string{
		"retries": "-1", "timeout": "30", "output": "xml", "operations": "GET /x", "operations.a b": "GET /x",
		"operations.a": "GET x", "kyc_status_pointer": "status", "token": "hunter2", "client_secret": "hunter2",
		"idempotency_keys": "ignored", "client_id": "a\nb", "credential_store": "vault",
	} {
		var bad *Error
		err := f.SetValue("work", key, value)
		require.ErrorAs(t, err, &bad, key)
		require.NotContains(t, err.Error(), "hunter2")
	}
	var bad *Error
	require.ErrorAs(t, f.SetValue("../x", "output", "json"), &bad)
	var unknown *Error
	require.ErrorAs(t, f.SetValue("ghost", "output", ""), &unknown)
	require.Equal(t, []string{"local"}, f.Profiles())
}

func TestUseAndRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := load(t, dir)
	var unknown *Error
	require.ErrorAs(t, f.Use("work"), &unknown)
	require.ErrorAs(t, f.Remove("work"), &unknown)
	require.NoError(t, f.SetValue("work", "output", "json"))
	require.NoError(t, f.Use("work"))
	require.NoError(t, f.SetValue("local", "retries", "0"))
	require.NoError(t, f.Save())

	f = load(t, dir)
	require.Equal(t, "work", f.Current())
	require.NoError(t, f.Remove("work"))
	require.Equal(t, "local", f.Current())
	require.Equal(t, "0", profileValue(t, f, "local", "retries"))
	require.NoError(t, f.Remove("local"))
	_, ok := f.Profile("local")
	require.True(t, ok)
	require.Empty(t, profileValue(t, f, "local", "retries"))
	require.NoError(t, f.Remove("local"), "the built-in profile is always there to be restored")
	require.NoError(t, f.Save())
	require.Equal(t, []string{"local"}, load(t, dir).Profiles())
}

func TestProfileEntries(t *testing.T) {
	t.Parallel()
	f := twoProfiles(t)
	require.NoError(t, f.SetValue("work", "operations.getB", "GET /b"))
	require.NoError(t, f.SetValue("work", "operations.getA", "GET /a"))
	source := Source("profile work (" + f.Path() + ")")
	got, err := f.ProfileEntries("work")
	require.NoError(t, err)
	require.Equal(t, []Entry{
		{"base_url", "https://work.example", source},
		{"operations.getA", "GET /a", source},
		{"operations.getB", "GET /b", source},
	}, got)
	_, err = f.ProfileEntries("ghost")
	var unknown *Error
	require.ErrorAs(t, err, &unknown)
}
