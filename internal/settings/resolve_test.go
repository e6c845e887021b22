package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A sample is a pair of values of one key, so that a test can tell layers apart.
type sample struct{ low, high string }

// samples must have an entry for every key; the test over the table fails for one that is missing.
var samples = map[string]sample{
	"profile":             {"work", "other"},
	"base_url":            {"https://low.example", "https://high.example/v"},
	"client_id":           {"low", "high"},
	"client_secret":       {"s-low", "s-high"},
	"token":               {"t-low", "t-high"},
	"credential_store":    {"keyring", "file"},
	"ca_cert":             {filepath.Join(os.TempDir(), "low.pem"), filepath.Join(os.TempDir(), "high.pem")},
	"output":              {"json", "csv"},
	"timeout":             {"5s", "7s"},
	"retries":             {"0", "9"},
	"allow_insecure_http": {"false", "true"},
	"idempotency_keys":    {"", "honoured"},
	"operations":          {"GET /low", "GET /high"},
	"kyc_status_pointer":  {"/low", "/high"},
}

func environ(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func twoProfiles(t *testing.T) *File {
	t.Helper()
	f, err := Load(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, f.SetValue("work", "base_url", "https://work.example"))
	require.NoError(t, f.SetValue("other", "base_url", "https://other.example"))
	require.NoError(t, f.Use("work"))
	return f
}

// profileValue is a value of a profile as `profile show` shows it; empty when it is not set.
func profileValue(t testing.TB, f *File, profile, key string) string {
	t.Helper()
	entries, err := f.ProfileEntries(profile)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}

func shown(t *testing.T, s Settings, key string) Entry {
	t.Helper()
	for _, e := range s.Entries() {
		if e.Key == key || strings.HasPrefix(e.Key, key+".") {
			return e
		}
	}
	t.Fatalf("no entry for %s", key)
	return Entry{}
}

// Every key of the table, every pair of layers that it has: the higher one wins and is named.
func TestPrecedenceOfEveryKey(t *testing.T) {
	t.Parallel()
	table := keys()
	require.Len(t, samples, len(table))
	for _, k := range table {
		values, ok := samples[k.name]
		require.True(t, ok, k.name)

		type layer struct {
			source string
			give   func(t *testing.T, f *File, flags *Flags, env map[string]string, value string)
		}
		var layers []layer
		if k.inProfile {
			layers = append(layers, layer{"profile work (", func(t *testing.T, f *File, _ *Flags, _ map[string]string, value string) {
				name := k.name
				if k.isMap {
					name += ".getKycStatus"
				}
				require.NoError(t, f.SetValue("work", name, value))
			}})
		}
		if k.name == "profile" {
			layers = append(layers, layer{"current profile of ", func(t *testing.T, f *File, _ *Flags, _ map[string]string, value string) {
				require.NoError(t, f.Use(value))
			}})
		}
		if k.env != "" {
			layers = append(layers, layer{"environment " + k.env, func(_ *testing.T, _ *File, _ *Flags, env map[string]string, value string) {
				env[k.env] = value
			}})
		}
		if k.flag {
			layers = append(layers, layer{"flag " + FlagName(k.name), func(_ *testing.T, _ *File, flags *Flags, _ map[string]string, value string) {
				(*flags)[k.name] = value
			}})
		}
		require.NotEmpty(t, layers, k.name)

		check := func(low *layer, high layer) {
			name := k.name + "/" + strings.Fields(high.source)[0]
			if low != nil {
				name += "-over-" + strings.Fields(low.source)[0]
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f, flags, env := twoProfiles(t), Flags{}, map[string]string{}
				if low != nil {
					low.give(t, f, &flags, env, values.low)
				}
				high.give(t, f, &flags, env, values.high)
				s, err := f.Resolve(flags, func(name string) string { return env[name] })
				require.NoError(t, err)
				got := shown(t, s, k.name)
				if k.secret {
					require.Equal(t, "set (hidden)", got.Value)
				} else {
					require.Equal(t, values.high, got.Value)
				}
				require.True(t, strings.HasPrefix(string(got.Source), high.source), "%q", got.Source)
				require.Equal(t, got.Source, s.Sources[k.name])
			})
		}
		for i, high := range layers {
			check(nil, high)
			for j := range i {
				check(&layers[j], high)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	f, err := Load(t.TempDir(), nil)
	require.NoError(t, err)
	s, err := f.Resolve(Flags{}, environ())
	require.NoError(t, err)
	require.Equal(t, "local", s.Profile)
	require.Equal(t, "http://127.0.0.1:8700", s.BaseURL.String())
	require.Equal(t, "http://127.0.0.1:8700", s.Origin)
	require.Equal(t, "table", s.Output)
	require.Equal(t, "keyring", s.CredentialStore)
	require.Equal(t, 30*time.Second, s.Timeout)
	require.Equal(t, 3, s.Retries)
	require.False(t, s.AllowInsecureHTTP)
	require.Equal(t, IdempotencyKeysHonoured, s.IdempotencyKeys)
	require.Empty(t, s.Operations)
	for key, want := range map[string]Source{
		"profile": "built-in default", "base_url": "built-in profile local", "timeout": "built-in default",
		"token": "not set", "operations": "not set", "client_id": "not set",
	} {
		require.Equal(t, want, s.Sources[key], key)
	}
	require.Len(t, s.Sources, len(keys()))
	require.Len(t, s.Entries(), len(keys()))
}

func TestTypedValuesReachSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, `current: Work
profiles:
  Work:
    base_url: HTTPS://API.Example.com/pay/
    client_id: 0123
    output: yaml
    credential_store: file
    timeout: 2m
    retries: 0
    allow_insecure_http: true
    idempotency_keys: honoured
    operations:
      getKycStatus: GET /kyc/{accountId}/v2
    kyc_status_pointer: /data/status
`)
	f, err := Load(dir, nil)
	require.NoError(t, err)
	s, err := f.Resolve(Flags{}, environ(EnvToken, "t", EnvSecret, "s"))
	require.NoError(t, err)
	require.Equal(t, "Work", s.Profile)
	require.Equal(t, "https://api.example.com/pay", s.BaseURL.String())
	require.Equal(t, "https://api.example.com:443", s.Origin)
	require.Equal(t, "0123", s.ClientID)
	require.Equal(t, "t", s.Token)
	require.Equal(t, "s", s.ClientSecret)
	require.Equal(t, "yaml", s.Output)
	require.Equal(t, "file", s.CredentialStore)
	require.Equal(t, 2*time.Minute, s.Timeout)
	require.Zero(t, s.Retries)
	require.True(t, s.AllowInsecureHTTP)
	require.Equal(t, "honoured", s.IdempotencyKeys)
	require.Equal(t, map[string]string{"getKycStatus": "GET /kyc/{accountId}/v2"}, s.Operations)
	require.Equal(t, "/data/status", s.KYCStatusPointer)
	require.Equal(t, Source("profile Work ("+f.Path()+")"), s.Sources["operations"])
}

func TestInvalidValuesNameTheirSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		flags  Flags
		env    []string
		source Source
	}{
		{"output", Flags{}, []string{"PAYCTL_OUTPUT", "xml"}, "environment PAYCTL_OUTPUT"},
		{"store", Flags{}, []string{"PAYCTL_CREDENTIAL_STORE", "vault"}, "environment PAYCTL_CREDENTIAL_STORE"},
		{"base URL", Flags{}, []string{"PAYCTL_BASE_URL", "api.example.com"}, "environment PAYCTL_BASE_URL"},
		{"client id", Flags{}, []string{"PAYCTL_CLIENT_ID", "a:b"}, "environment PAYCTL_CLIENT_ID"},
		{"token", Flags{}, []string{"PAYCTL_TOKEN", "hunter2\n"}, "environment PAYCTL_TOKEN"},
		{"secret", Flags{}, []string{"PAYCTL_CLIENT_SECRET", "hunter2\n"}, "environment PAYCTL_CLIENT_SECRET"},
		{"profile", Flags{}, []string{"PAYCTL_PROFILE", "a b"}, "environment PAYCTL_PROFILE"},
		{"flag base URL", Flags{KeyBaseURL: "ftp://x"}, nil, "flag --base-url"},
		{"flag retries", Flags{KeyRetries: "-1"}, nil, "flag --retries"},
		{"flag timeout", Flags{KeyTimeout: "0s"}, nil, "flag --timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := twoProfiles(t).Resolve(c.flags, environ(c.env...))
			var bad *Error
			require.ErrorAs(t, err, &bad)
			require.ErrorAs(t, err, new(*Error))
			require.True(t, strings.HasPrefix(err.Error(), string(c.source)+": "), err.Error())
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestOverriddenValueIsNotLookedAt(t *testing.T) {
	t.Parallel()
	s, err := twoProfiles(t).Resolve(Flags{KeyOutput: "json"}, environ("PAYCTL_OUTPUT", "xml"))
	require.NoError(t, err)
	require.Equal(t, "json", s.Output)
}

func TestUnknownProfileListsTheKnown(t *testing.T) {
	t.Parallel()
	_, err := twoProfiles(t).Resolve(Flags{KeyProfile: "ghost"}, environ())
	var unknown *Error
	require.ErrorAs(t, err, &unknown)
	require.Contains(t, unknown.Reason, "known profiles: local, other, work")
	require.Contains(t, unknown.Reason, "named by flag --profile")
	require.Contains(t, err.Error(), "payctl profile set")
}

func TestProfileWithoutBaseURL(t *testing.T) {
	t.Parallel()
	f := twoProfiles(t)
	require.NoError(t, f.SetValue("bare", "output", "json"))
	_, err := f.Resolve(Flags{KeyProfile: "bare"}, environ())
	var usage *Error
	require.ErrorAs(t, err, &usage)
	require.Contains(t, err.Error(), "payctl profile set bare base_url")
}

func TestPlainHTTPOnlyToLoopback(t *testing.T) {
	t.Parallel()
	for base, allowed := range map[string]bool{
		"http://127.9.9.9": true, "http://[::1]:1": true, "http://LOCALHOST": true, "https://lab.example": true,
		"http://lab.example": false, "http://10.0.0.1": false, "http://localhost.example": false, "http://127.1": false,
	} {
		_, err := twoProfiles(t).Resolve(Flags{KeyBaseURL: base}, environ())
		require.Equal(t, allowed, err == nil, "%s: %v", base, err)
		_, err = twoProfiles(t).Resolve(Flags{KeyBaseURL: base, KeyAllowInsecureHTTP: "true"}, environ())
		require.NoError(t, err)
	}
}

func TestProfileVouchesForItsOwnServiceOnly(t *testing.T) {
	t.Parallel()
	f := twoProfiles(t)
	require.NoError(t, f.SetValue("work", "idempotency_keys", "honoured"))
	require.NoError(t, f.SetValue("work", "allow_insecure_http", "true"))

	for base, trusted := range map[string]bool{
		"https://work.example": true, "https://WORK.example:443/": true,
		"https://work.example/other": false, "https://other.example": false,
	} {
		s, err := f.Resolve(Flags{KeyBaseURL: base}, environ())
		require.NoError(t, err)
		require.Equal(t, trusted, s.IdempotencyKeys == IdempotencyKeysHonoured, base)
		require.Equal(t, trusted, s.AllowInsecureHTTP, base)
	}
	elsewhere := "http://lab.example"
	_, err := f.Resolve(Flags{KeyBaseURL: elsewhere}, environ())
	require.ErrorAs(t, err, new(*Error))
}

func TestLocalIsTrustedAtItsBuiltInAddressOnly(t *testing.T) {
	t.Parallel()
	f, err := Load(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, f.SetValue("local", "base_url", "https://api.example"))
	s, err := f.Resolve(Flags{}, environ())
	require.NoError(t, err)
	require.Empty(t, s.IdempotencyKeys)
	require.Empty(t, profileValue(t, f, "local", "idempotency_keys"))

	require.NoError(t, f.SetValue("local", "base_url", ""))
	require.NoError(t, f.SetValue("local", "output", "json"))
	s, err = f.Resolve(Flags{}, environ())
	require.NoError(t, err)
	require.Equal(t, IdempotencyKeysHonoured, s.IdempotencyKeys)

	require.NoError(t, f.SetValue("local", "idempotency_keys", ""))
	s, err = f.Resolve(Flags{}, environ())
	require.NoError(t, err)
	require.Empty(t, s.IdempotencyKeys, "the file may withdraw the trust")
}

// A key that has a flag has the variable of that.
func TestEachFlagHasItsVariable(t *testing.T) {
	t.Parallel()
	for _, k := range keys() {
		require.Equal(t, k.flag, IsFlag(k.name))
		if k.flag {
			require.Equal(t, Variable(k.name), k.env)
		}
	}
}

// Without a folder nothing is guessed: the service comes from a flag or a variable, and nothing can be saved.
func TestWithoutAFolder(t *testing.T) {
	t.Parallel()
	f, err := Open(environ(), nil)
	require.NoError(t, err)
	require.Error(t, f.Nowhere())
	_, err = f.Resolve(nil, environ())
	require.ErrorContains(t, err, "set "+EnvBaseURL)
	_, err = f.Resolve(Flags{KeyProfile: "work"}, environ(EnvBaseURL, "https://a.example"))
	require.ErrorContains(t, err, "set "+EnvConfigDir)
	s, err := f.Resolve(nil, environ(EnvBaseURL, "https://a.example", Variable(KeyRetries), "0"))
	require.NoError(t, err)
	require.Equal(t, "https://a.example:443", s.Origin)
	require.Zero(t, s.Retries)
	require.NoError(t, f.Save(), "there is nothing to save")
	require.NoError(t, f.SetValue(DefaultProfile, KeyTimeout, "3s"))
	require.ErrorContains(t, f.Save(), "set "+EnvConfigDir)
	_, err = Open(environ("HOME", "relative", "AppData", "relative"), nil)
	require.Error(t, err, "a folder that is named wrongly is a mistake")
}
