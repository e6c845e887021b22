package settings

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A key is one setting. The table that [keys] returns is the only place that lists them.
type key struct {
	name     string // in the file, in `profile set` and in Entries
	env      string // the environment variable, "" for none
	about    string // what the variable is, for a key without a flag
	fallback string // the built-in default, "" for none
	local    string // the value in the built-in DefaultProfile, "" for none

	flag      bool   // it has a command-line flag, called as the key but with hyphens
	inProfile bool   // a profile may contain it
	secret    bool   // never shown and never in the file
	emptyOK   bool   // "" is a value, and does not remove the setting
	perURL    bool   // a statement about one service: ignored at any base URL other than the profile's
	isMap     bool   // a mapping of names to values, each of which check accepts
	isPath    bool   // a path: absolute in the file; relative to the working directory in other places
	tag       string // the YAML tag it is written with, !!str when empty

	check check
	set   func(*Settings, any)
}

const tagBool = "!!bool"

// fromEnvironment returns the text of a variable as a file would have it: true and false may be 1 and 0 in a variable,
// as in those of other programs.
func (k key) fromEnvironment(text string) string {
	if on, err := strconv.ParseBool(text); k.tag == tagBool && err == nil {
		return strconv.FormatBool(on)
	}
	return text
}

// A VariableOf is the variable of a key that has no flag.
type VariableOf struct{ Name, About string }

// Variables lists the variables of the keys without a flag. A key with a flag has the [Variable] of that.
func Variables() []VariableOf {
	var all []VariableOf
	for _, k := range keys() {
		if k.env != "" && !k.flag {
			all = append(all, VariableOf{k.env, k.about})
		}
	}
	return all
}

// IsFlag reports whether a command-line flag is that of a key, whose variable [File.Resolve] reads.
func IsFlag(name string) bool {
	k, ok := findKey(strings.ReplaceAll(name, "-", "_"))
	return ok && k.flag
}

// Keys that other packages name.
const (
	KeyProfile           = "profile"
	KeyBaseURL           = "base_url"
	KeyCACert            = "ca_cert"
	KeyOutput            = "output"
	KeyCredentialStore   = "credential_store" //nolint:gosec // the name of a setting
	KeyTimeout           = "timeout"
	KeyRetries           = "retries"
	KeyAllowInsecureHTTP = "allow_insecure_http"
	KeyIdempotencyKeys   = "idempotency_keys"
)

// Environment variables. Each wins over the profile.
const (
	EnvProfile  = "PAYCTL_PROFILE" // wins over the current profile
	EnvBaseURL  = "PAYCTL_BASE_URL"
	EnvClientID = "PAYCTL_CLIENT_ID"
	EnvSecret   = "PAYCTL_CLIENT_SECRET" // sent only to the origin that the environment names
	EnvToken    = "PAYCTL_TOKEN"         // sent only to the same origin
	EnvCACert   = "PAYCTL_CA_CERT"
	EnvOutput   = "PAYCTL_OUTPUT"
	EnvStore    = "PAYCTL_CREDENTIAL_STORE"
	EnvTimeout  = "PAYCTL_TIMEOUT"
	EnvRetries  = "PAYCTL_RETRIES"

	EnvInsecureHTTP = "PAYCTL_ALLOW_INSECURE_HTTP"
)

const environmentPrefix = "environment " // of a Source

// Variable is the environment variable of a flag: PAYCTL_BASE_URL of base-url, and PAYCTL_SERVE_ADDR of addr, a flag of
// the command serve. It is also that of a key.
func Variable(words ...string) string {
	name := strings.Join(append([]string{program}, words...), "_")
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// keys is built at the first use, since some commands read no settings.
var keys = sync.OnceValue(func() []key {
	return []key{
		{
			name: KeyProfile, flag: true, env: EnvProfile, fallback: DefaultProfile, check: profileName,
			set: func(s *Settings, v any) { s.Profile = v.(string) },
		},
		{
			name: KeyBaseURL, flag: true, env: EnvBaseURL, local: DefaultBaseURL, inProfile: true, check: baseURL,
			set: func(s *Settings, v any) { s.BaseURL = v.(*url.URL); s.Origin = Origin(s.BaseURL) },
		},
		{
			name: "client_id", env: EnvClientID, inProfile: true, check: clientID, about: "a client id, together with",
			set: func(s *Settings, v any) { s.ClientID = v.(string) },
		},
		{
			name: "client_secret", env: EnvSecret, secret: true, check: clientSecret,
			about: "its secret: payctl fetches a token with them for this process",
			set:   func(s *Settings, v any) { s.ClientSecret = v.(string) },
		},
		{
			name: "token", env: EnvToken, secret: true, check: token,
			about: "an access token, for the service that PAYCTL_BASE_URL or PAYCTL_PROFILE names",
			set:   func(s *Settings, v any) { s.Token = v.(string) },
		},
		{
			name: KeyCACert, flag: true, env: EnvCACert, inProfile: true, perURL: true, isPath: true, check: filePath,
			set: func(s *Settings, v any) { s.CACert = v.(string) },
		},
		{
			name: KeyCredentialStore, flag: true, env: EnvStore, fallback: CredentialStoreKeyring, inProfile: true,
			check: oneOf(CredentialStoreKeyring, CredentialStoreFile),
			set:   func(s *Settings, v any) { s.CredentialStore = v.(string) },
		},
		{
			name: KeyOutput, flag: true, env: EnvOutput, fallback: "table", inProfile: true,
			check: oneOf("table", "json", "ndjson", "yaml", "csv"),
			set:   func(s *Settings, v any) { s.Output = v.(string) },
		},
		{
			name: KeyTimeout, flag: true, env: EnvTimeout, fallback: "30s", inProfile: true, check: duration,
			set: func(s *Settings, v any) { s.Timeout = v.(time.Duration) },
		},
		{
			name: KeyRetries, flag: true, env: EnvRetries, fallback: "3", inProfile: true, tag: "!!int",
			check: retries,
			set:   func(s *Settings, v any) { s.Retries = v.(int) },
		},
		{
			name: KeyAllowInsecureHTTP, flag: true, env: EnvInsecureHTTP, fallback: "false",
			inProfile: true, perURL: true, tag: tagBool, check: boolean,
			set: func(s *Settings, v any) { s.AllowInsecureHTTP = v.(bool) },
		},
		{
			name: KeyIdempotencyKeys, local: IdempotencyKeysHonoured, inProfile: true, perURL: true, emptyOK: true,
			check: honouredOrEmpty,
			set:   func(s *Settings, v any) { s.IdempotencyKeys = v.(string) },
		},
		{
			name: "operations", inProfile: true, isMap: true, check: operation,
			set: func(s *Settings, v any) { s.Operations = v.(map[string]string) },
		},
		{
			name: "kyc_status_pointer", inProfile: true, check: jsonPointer,
			set: func(s *Settings, v any) { s.KYCStatusPointer = v.(string) },
		},
	}
})

// FlagName is the command-line flag of a key.
func FlagName(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

// Default is the value of the key of a command-line flag that counts where the profile has none; empty if there is none.
func Default(flag string) string {
	if k, ok := findKey(strings.ReplaceAll(flag, "-", "_")); ok && k.inProfile {
		return k.fallback
	}
	return ""
}

func findKey(name string) (key, bool) {
	all := keys()
	if i := slices.IndexFunc(all, func(k key) bool { return k.name == name }); i >= 0 {
		return all[i], true
	}
	return key{}, false
}

// ProfileKeys returns the keys that a profile may contain, in the order in which they are shown.
func ProfileKeys() []string {
	var names []string
	for _, k := range keys() {
		if k.inProfile {
			names = append(names, k.name)
		}
	}
	return names
}
