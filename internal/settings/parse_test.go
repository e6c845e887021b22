package settings

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://api.example.com":       "https://api.example.com",
		"HTTPS://API.example.com:8443/": "https://api.example.com:8443",
		"http://[::1]:1/a/b//":          "http://[::1]:1/a/b",
		"http://127.0.0.1:8700":         "http://127.0.0.1:8700",
	} {
		u, err := ParseBaseURL(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, u.String())
	}
	for _, raw := range []string{
		"", "api.example.com", "ftp://x", "https:", "https://", "https:///x", "https://:80", "https:x", "https://u:hunter2@x",
		"https://hunter2@x", "https://u:hunter2@x:y", "u:hunter2@x", "https://x?", "https://x?a=b", "https://x#",
		"https://x#a", "https://x:", "https://x:0",
		"https://x:65536", "https://x:a", "https://x/../y", "https://x/./y", "https://x//y", "https://x/%2e%2e",
		"https://x/a b",
		"https://еxample.com", "https://[fe80::1%25eth0]", "https://x y", "https://x\n", "//x", "localhost:8700",
		"127.0.0.1:8700",
	} {
		_, err := ParseBaseURL(raw)
		require.Error(t, err, raw)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	path := func(unix string) string { // an absolute path of this system
		if strings.HasPrefix(unix, "/") && runtime.GOOS == "windows" {
			return "C:" + filepath.FromSlash(unix)
		}
		return unix
	}
	for _, c := range []struct {
		goos          string
		env           []string
		config, state string
	}{
		{"linux", []string{"HOME", "/h"}, "/h/.config/payctl", "/h/.local/state/payctl"},
		{"freebsd", []string{"HOME", "/h", "XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s"}, "/c/payctl", "/s/payctl"},
		{"linux", []string{"HOME", "/h", "XDG_CONFIG_HOME", "c", "XDG_STATE_HOME", "s"}, "", ""},
		{"linux", nil, "", ""},
		{"linux", []string{"HOME", "h"}, "", ""},
		{"darwin", []string{"HOME", "./h"}, "", ""},
		{"linux", []string{"HOME", "/h", EnvConfigDir, "/x"}, "/x", "/x/state"},
		{"linux", []string{"HOME", "/h", EnvConfigDir, "/x", EnvStateDir, "/y"}, "/x", "/y"},
		{"windows", []string{EnvStateDir, "/y"}, "", "/y"},
		{"darwin", []string{"HOME", "/h", "XDG_CONFIG_HOME", "/c"}, "/h/Library/Application Support/payctl",
			"/h/Library/Application Support/payctl/state"},
		{"windows", []string{"AppData", "/r", "LocalAppData", "/l"}, "/r/payctl", "/l/payctl"},
		{"windows", []string{EnvConfigDir, "/x"}, "/x", "/x/state"},
		{"windows",
			[]string{"AppData", "/r", "LocalAppData", "/l", "HOME", "/h", "XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s"},
			"/r/payctl", "/l/payctl"},
		{"windows", []string{"HOME", "/h", "USERPROFILE", "/u"}, "", ""},
		{"windows", []string{"AppData", "C:r", "LocalAppData", "l"}, "", ""},
		{"windows", []string{EnvConfigDir, `"/x"`}, "", ""},
		{"linux", []string{"HOME", "/h", EnvConfigDir, "~/x", EnvStateDir, "/y"}, "", "/y"},
		{"linux", []string{"HOME", "/h", EnvConfigDir, "/x", EnvStateDir, "y"}, "/x", ""},
	} {
		for want, folder := range map[string]func(string, func(string) string) (string, error){
			"config:" + c.config: configDir, "state:" + c.state: stateDir,
		} {
			var env []string
			for _, value := range c.env {
				env = append(env, path(value))
			}
			got, err := folder(c.goos, environ(env...))
			_, want, _ := strings.Cut(want, ":")
			if want == "" {
				require.ErrorAs(t, err, new(*Error))
				continue
			}
			require.NoError(t, err)
			require.Equal(t, path(want), got)
		}
	}
}

// A pattern matches a whole reference, even if it has alternatives.
func TestPatternsMatchTheWholeText(t *testing.T) {
	t.Parallel()
	for pattern, matches := range map[string]string{"a|b": "b", "[a-z]{1,3}": "abc", "(?i)a": "A", "": ""} {
		p, err := wholePattern(pattern)
		require.NoError(t, err)
		require.True(t, p.MatchString(matches))
		for _, other := range []string{matches + "\n", "x" + matches + "x", "-" + matches} {
			require.False(t, p.MatchString(other), "%q %q", pattern, other)
		}
	}
	for _, pattern := range []string{"[", "a)|(b", "*"} {
		_, err := wholePattern(pattern)
		require.Error(t, err, pattern)
	}
}

// A text that the parser accepts can be written and reads back the same. An error has a line inside the text.
func FuzzParseDocument(f *testing.F) {
	f.Add([]byte("current: work\nprofiles:\n  work:\n    base_url: https://api.example\n    retries: 0\n"))
	f.Add([]byte("profiles: {a: {operations: {getKycStatus: \"GET /kyc/{accountId}/v2\"}, members: {kyc: {status: /a~1b}}, values: {kyc: {approved: [A, b, 7]}}}}\n"))
	f.Add([]byte("# c\n---\n# d\nprofiles: # e\n  a:\n    # f\n    client_id: |-\n      x\n  # g\n"))
	f.Add([]byte("profiles: &a\n  b: *a\n"))
	for _, seed := range []string{
		"---\nprofiles: {}\n---\nx: 1\n", "profiles:\n  w:\n    token: x\n", "profiles:\n\twork: {}\n",
		"# top\ncurrent: Work\nprofiles:\n  # why\n  Work: {base_url: \"https://api.example\", client_id: 0123}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var file File
		if err := file.read(data); err != nil {
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.NotEmpty(t, bad.Reason)
			require.LessOrEqual(t, bad.Line, 2+strings.Count(string(data), "\n")+strings.Count(string(data), "\r"))
			return
		}
		before := map[string]map[string]string{}
		for name, p := range file.profiles {
			before[name] = p.flat()
		}
		json := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "json"}
		put(file.tree.Content[0], []string{memberProfiles, "new", KeyOutput}, json)
		out, err := file.encode()
		if err != nil { // the YAML package would write a comment where it breaks the text
			require.ErrorAs(t, err, new(*Error))
			return
		}
		var back File
		require.NoError(t, back.read(out))
		if before["new"] == nil {
			before["new"] = map[string]string{}
		}
		before["new"][KeyOutput] = "json"
		after := map[string]map[string]string{}
		for name, p := range back.profiles {
			after[name] = p.flat()
		}
		require.Equal(t, before, after)
	})
}
