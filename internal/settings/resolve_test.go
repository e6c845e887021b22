package settings

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
)

// A sample is a pair of values of one key, so that a test can tell layers apart.
type sample struct{ low, high string }

// samples must have an entry for every key: TestPrecedenceOfEveryKey fails for a missing one.
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
	"operations":          {"GET /low/{id}", "GET /high/{id}"},
	"members":             {"/low", "/high"},
	"values":              {"LOW", "HIGH"},
	"answers":             {"/low", "/high"},
	"pages":               {"/low", "link"},
	"send":                {"low", "high"},
	"amounts":             {"number", "text"},
	"decimals":            {"2", "6"},
	"login":               {"low", "high"},
	"idempotency_header":  {"X-Low", "X-High"},
	"list_lag":            {"1s", "never"},
	"references":          {"[a-z]+", "[A-Z]+"},
	"limit_payment":       {"1:USDC", "2:USDC,3:EUR"},
	"limit_day":           {"10:USDC", "20:USDC"},
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
	f, err := Load(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, f.Set("work", "base_url", "https://work.example"))
	require.NoError(t, f.Set("other", "base_url", "https://other.example"))
	require.NoError(t, f.Use("work"))
	return f
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

// For every key and every pair of its layers, the higher layer wins and is named as the source.
func TestPrecedenceOfEveryKey(t *testing.T) {
	t.Parallel()
	table := Keys()
	require.Len(t, samples, len(table))
	for _, k := range table {
		values, ok := samples[k.Name]
		require.True(t, ok, k.Name)

		type given struct {
			file  *File
			flags Flags
			env   map[string]string
		}
		type layer struct {
			source string
			give   func(t *testing.T, to given, value string)
		}
		var layers []layer
		if k.InProfile {
			layers = append(layers, layer{"profile work (", func(t *testing.T, to given, value string) {
				name := k.Name + map[string]string{
					keyOperations: ".getKycStatus", "members": ".kyc.status", "values": ".kyc.approved", "answers": ".one",
					"pages": ".next", "send": ".createAutoTransfer.purpose", "decimals": ".USDC", "login": ".form.grant_type",
				}[k.Name]
				if k.Name == "decimals" {
					require.NoError(t, to.file.Set("work", "amounts", "minor"))
				}
				require.NoError(t, to.file.Set("work", name, value))
			}})
		}
		if k.Name == "profile" {
			layers = append(layers, layer{"current profile of ", func(t *testing.T, to given, value string) {
				require.NoError(t, to.file.Use(value))
			}})
		}
		if k.Variable != "" {
			layers = append(layers, layer{"environment " + k.Variable, func(_ *testing.T, to given, value string) {
				to.env[k.Variable] = value
			}})
		}
		if k.IsFlag {
			layers = append(layers, layer{"flag " + FlagName(k.Name), func(_ *testing.T, to given, value string) {
				to.flags[k.Name] = value
			}})
		}
		require.NotEmpty(t, layers, k.Name)

		check := func(low *layer, high layer) {
			name := k.Name + "/" + strings.Fields(high.source)[0]
			if low != nil {
				name += "-over-" + strings.Fields(low.source)[0]
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				to := given{twoProfiles(t), Flags{}, map[string]string{}}
				if low != nil {
					low.give(t, to, values.low)
				}
				high.give(t, to, values.high)
				s, err := to.file.Resolve(to.flags, func(name string) string { return to.env[name] })
				require.NoError(t, err)
				got := shown(t, s, k.Name)
				if k.secret {
					require.Equal(t, "set (hidden)", got.Value)
				} else {
					require.Equal(t, values.high, got.Value)
				}
				require.True(t, strings.HasPrefix(string(got.Source), high.source), "%q", got.Source)
				require.Equal(t, got.Source, s.Sources[k.Name])
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

// The settings of a profile that describe its service hold only for its base URL.
func TestAnotherBaseURLGetsNothingOfTheProfile(t *testing.T) {
	t.Parallel()
	f := twoProfiles(t)
	values := map[string]string{
		KeyCACert: samples[KeyCACert].low, KeyClientID: "me", KeyIdempotencyKeys: "honoured", "idempotency_header": "X-Key",
		"members.kyc.status": "/a", "values.kyc.approved": "YES", "amounts": "minor", "decimals.USDC": "6",
		"answers.one": "/a", "pages.next": "link", "send.createAutoTransfer.purpose": "x", "login.json.grant_type": "x",
		"list_lag": "5s", "references": "[0-9]+", "operations.getKycStatus": "GET /kyc/{accountId}/v2",
		KeyAllowInsecureHTTP: "true", KeyTimeout: "5s",
	}
	require.NoError(t, f.Set("work", "amounts", "minor")) // first: decimals need it
	for key, value := range values {
		require.NoError(t, f.Set("work", key, value))
	}
	for base, isOwn := range map[string]bool{
		"https://work.example": true, "https://WORK.example:443/": true,
		"https://work.example/other": false, "https://other.example": false, "https://work.example:444": false,
	} {
		s, err := f.Resolve(Flags{KeyBaseURL: base}, environ())
		require.NoError(t, err)
		for _, k := range Keys() {
			if k.ofService {
				require.Equal(t, isOwn, strings.HasPrefix(string(s.Sources[k.Name]), "profile work ("), "%s at %s", k.Name, base)
			}
		}
		_, isMapped := s.ServiceMap.Route(&contract.GetKYCStatus)
		require.Equal(t, isOwn, isMapped, base)
		require.Equal(t, 5*time.Second, s.Timeout, "a timeout does not describe a service")
	}
	_, err := f.Resolve(Flags{KeyBaseURL: "http://lab.example"}, environ())
	require.ErrorAs(t, err, new(*Error), "plain http to another machine")

	// The built-in values of the profile local describe the service at its built-in address.
	require.NoError(t, f.Set("local", "base_url", "https://api.example"))
	s, err := f.Resolve(Flags{KeyProfile: "local"}, environ())
	require.NoError(t, err)
	require.Empty(t, s.IdempotencyKeys)
	require.NoError(t, f.Set("local", "base_url", ""))
	s, err = f.Resolve(Flags{KeyProfile: "local"}, environ())
	require.NoError(t, err)
	require.Equal(t, IdempotencyKeysHonoured, s.IdempotencyKeys)
	require.NoError(t, f.Set("local", "idempotency_keys", ""))
	s, err = f.Resolve(Flags{KeyProfile: "local"}, environ())
	require.NoError(t, err)
	require.Empty(t, s.IdempotencyKeys, "the file may withdraw the trust")
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags Flags
		env   []string
		says  string
	}{
		{nil, []string{"PAYCTL_OUTPUT", "xml"}, "environment PAYCTL_OUTPUT: "},
		{nil, []string{"PAYCTL_CREDENTIAL_STORE", "vault"}, "environment PAYCTL_CREDENTIAL_STORE: "},
		{nil, []string{"PAYCTL_BASE_URL", "api.example.com"}, "environment PAYCTL_BASE_URL: "},
		{nil, []string{"PAYCTL_CLIENT_ID", "a:b"}, "environment PAYCTL_CLIENT_ID: "},
		{nil, []string{"PAYCTL_TOKEN", "hunter2\n"}, "environment PAYCTL_TOKEN: "},
		{nil, []string{"PAYCTL_CLIENT_SECRET", "hunter2\n"}, "environment PAYCTL_CLIENT_SECRET: "},
		{nil, []string{"PAYCTL_PROFILE", "a b"}, "named by environment PAYCTL_PROFILE"},
		{nil, []string{"PAYCTL_CA_CERT", "~/ca.pem"}, "did not replace by your home folder"},
		{Flags{KeyBaseURL: "ftp://x"}, nil, "flag --base-url: "},
		{Flags{KeyRetries: "-1"}, nil, "flag --retries: "},
		{Flags{KeyTimeout: "0s"}, nil, "flag --timeout: "},
		{
			Flags{KeyProfile: "ghost"}, nil,
			`no profile "ghost" (named by flag --profile); known profiles: bare, local, other, work`,
		},
		{Flags{KeyProfile: "bare"}, nil, "payctl profile set bare base_url"},
	} {
		f := twoProfiles(t)
		require.NoError(t, f.Set("bare", "output", "json"))
		_, err := f.Resolve(c.flags, environ(c.env...))
		require.ErrorAs(t, err, new(*Error))
		require.ErrorContains(t, err, c.says)
		require.NotContains(t, err.Error(), "hunter2")
	}
	s, err := twoProfiles(t).Resolve(Flags{KeyOutput: "json"}, environ("PAYCTL_OUTPUT", "xml"))
	require.NoError(t, err, "a value that is overridden is not checked")
	require.Equal(t, "json", s.Output)
}

func TestSecretsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	const sandbox, work, other = "http://127.0.0.1:9", "https://work.example", "https://other.example"
	profile := func(s string) Flags { return Flags{KeyProfile: s} }
	base := func(s string) Flags { return Flags{KeyBaseURL: s} }
	both := func(p, b string) Flags { return Flags{KeyProfile: p, KeyBaseURL: b} }
	for _, variable := range []string{EnvToken, EnvSecret} {
		for _, c := range []struct {
			name    string
			flags   Flags
			env     []string
			origin  string // of the settings; "" means refused
			belongs string // the origin that the error names
		}{
			{"no flag, current profile", Flags{}, nil, "https://work.example:443", ""},
			{"no flag, base URL", Flags{}, []string{EnvBaseURL, sandbox}, sandbox, ""},
			{"the usual port", Flags{}, []string{EnvBaseURL, "http://localhost"}, "http://localhost:80", ""},
			{"no flag, base URL over profile", Flags{}, []string{EnvBaseURL, sandbox, EnvProfile, "other"}, sandbox, ""},
			{"flag names the same", base(work + ":443/x"), nil, "https://work.example:443", ""},
			{"same profile", profile("work"), nil, "https://work.example:443", ""},
			{"same by other means", base(other), []string{EnvProfile, "other"}, "https://other.example:443", ""},
			{"flag away from current", base(other), nil, "", "https://work.example:443"},
			{"profile away from current", profile("other"), nil, "", "https://work.example:443"},
			{"flag away from base URL", base(work), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"flag away from named profile", base(work), []string{EnvProfile, "other"}, "", "https://other.example:443"},
			{"other port", base("http://127.0.0.1:10"), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"other scheme", base("https://127.0.0.1:9"), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"base URL of the environment over a flag's profile", profile("work"), []string{EnvBaseURL, sandbox}, sandbox, ""},
			{"base URL decides over profile", both("other", work), nil, "https://work.example:443", ""},
			{"other output only", Flags{KeyOutput: "json"}, []string{EnvBaseURL, sandbox}, sandbox, ""},
		} {
			t.Run(variable+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s, err := twoProfiles(t).Resolve(c.flags, environ(append(c.env, variable, "hunter2")...))
				if c.origin != "" {
					require.NoError(t, err)
					require.Equal(t, c.origin, s.Origin)
					return
				}
				var usage *Error
				require.ErrorAs(t, err, &usage)
				require.Contains(t, usage.Reason, variable+" belongs to "+c.belongs)
				require.Contains(t, usage.Next.Note, "unset "+variable)
				require.NotContains(t, err.Error(), "hunter2")
				require.Equal(t, Settings{}, s)

				_, err = twoProfiles(t).Resolve(c.flags, environ(c.env...))
				require.NoError(t, err, "without the secret the flag is fine")
			})
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	s, err := twoProfiles(t).Resolve(Flags{}, environ(EnvToken, "hunter2", EnvSecret, "hunter3"))
	require.NoError(t, err)
	require.Equal(t, "hunter2", s.Token)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "settings", s)
	encoded, err := json.Marshal(s)
	require.NoError(t, err)
	for _, text := range []string{
		s.String(), fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s", s, s, &s, &s), log.String(), string(encoded),
		fmt.Sprint(s.Entries()),
	} {
		require.NotContains(t, text, "hunter")
		require.Contains(t, text, "work")
	}
	require.Equal(t, "set (hidden)", shown(t, s, "token").Value)
}
