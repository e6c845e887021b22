package config

import (
	"net/url"
	"slices"
	"strconv"
	"time"
)

// A key is one setting. The table that [keys] returns is the only place that lists them.
type key struct {
	name     string // in the file, in `profile set` and in Entries
	flag     string // the command-line flag, "" for none
	env      string // the environment variable, "" for none
	fallback string // the built-in default, "" for none
	local    string // what the built-in DefaultProfile says, "" for nothing

	inProfile bool   // a profile may hold it
	secret    bool   // never shown and never in the file
	emptyOK   bool   // "" is a choice, not an omission
	vouched   bool   // a judgement about one service: void at any other base URL than the profile's
	many      bool   // a mapping of names to values, each of which check accepts
	file      bool   // a path: absolute in the file, else from the working directory
	tag       string // the YAML tag it is written with, !!str when empty

	check   check
	given   func(Flags) (string, bool)
	setting func(*Settings, any)
	profile func(*Profile, any)
}

// Environment variables that other packages name in their messages or set for a child process.
const (
	EnvProfile  = "PAYCTL_PROFILE"          // profile over the current one
	EnvBaseURL  = "PAYCTL_BASE_URL"         // base URL over the profile's
	EnvClientID = "PAYCTL_CLIENT_ID"        // client id over the profile's
	EnvSecret   = "PAYCTL_CLIENT_SECRET"    // client secret, bound to the origin that the environment names
	EnvToken    = "PAYCTL_TOKEN"            // access token, bound to the same origin
	EnvCACert   = "PAYCTL_CA_CERT"          // certificate authorities over the profile's
	EnvOutput   = "PAYCTL_OUTPUT"           // output format over the profile's
	EnvStore    = "PAYCTL_CREDENTIAL_STORE" // credential store over the profile's
)

// KeyIdempotencyKeys is the setting that says whether a service honours idempotency keys.
const KeyIdempotencyKeys = "idempotency_keys"

// Names that the code refers to one by one.
const (
	keyProfile    = "profile"
	keyBaseURL    = "base_url"
	keyOperations = "operations"
	keyCACert     = "ca_cert"
	keyInsecure   = "allow_insecure_http"
	flagProfile   = "--profile"
	flagBaseURL   = "--base-url"
	flagInsecure  = "--allow-insecure-http"
)

const (
	unsetValue     = Source("not set")
	defaultValue   = Source("built-in default")
	builtinProfile = Source("built-in profile " + DefaultProfile)
)

// keys is a function so that programs which never look at a setting do not pay for building it.
func keys() []key {
	return []key{
		{
			name: keyProfile, flag: flagProfile, env: EnvProfile, fallback: DefaultProfile, check: profileName,
			given:   func(f Flags) (string, bool) { return given(f.Profile, asIs) },
			setting: func(s *Settings, v any) { s.Profile = v.(string) },
		},
		{
			name: keyBaseURL, flag: flagBaseURL, env: EnvBaseURL, local: DefaultBaseURL, inProfile: true, check: baseURL,
			given:   func(f Flags) (string, bool) { return given(f.BaseURL, asIs) },
			setting: func(s *Settings, v any) { s.BaseURL = v.(*url.URL); s.Origin = Origin(s.BaseURL) },
			profile: func(p *Profile, v any) { p.BaseURL = v.(*url.URL).String() },
		},
		{
			name: "client_id", env: EnvClientID, inProfile: true, check: clientID,
			setting: func(s *Settings, v any) { s.ClientID = v.(string) },
			profile: func(p *Profile, v any) { p.ClientID = v.(string) },
		},
		{
			name: "client_secret", env: EnvSecret, secret: true, check: clientSecret,
			setting: func(s *Settings, v any) { s.ClientSecret = v.(string) },
		},
		{
			name: "token", env: EnvToken, secret: true, check: token,
			setting: func(s *Settings, v any) { s.Token = v.(string) },
		},
		{
			name: keyCACert, flag: "--ca-cert", env: EnvCACert, inProfile: true, vouched: true, file: true, check: filePath,
			given:   func(f Flags) (string, bool) { return given(f.CACert, asIs) },
			setting: func(s *Settings, v any) { s.CACert = v.(string) },
			profile: func(p *Profile, v any) { p.CACert = v.(string) },
		},
		{
			name: "credential_store", flag: "--credential-store", env: EnvStore,
			fallback: CredentialStoreKeyring, inProfile: true, check: oneOf(CredentialStoreKeyring, CredentialStoreFile),
			given:   func(f Flags) (string, bool) { return given(f.CredentialStore, asIs) },
			setting: func(s *Settings, v any) { s.CredentialStore = v.(string) },
			profile: func(p *Profile, v any) { p.CredentialStore = v.(string) },
		},
		{
			name: "output", flag: "--output", env: EnvOutput, fallback: "table", inProfile: true,
			check:   oneOf("table", "json", "ndjson", "yaml", "csv"),
			given:   func(f Flags) (string, bool) { return given(f.Output, asIs) },
			setting: func(s *Settings, v any) { s.Output = v.(string) },
			profile: func(p *Profile, v any) { p.Output = v.(string) },
		},
		{
			name: "timeout", flag: "--timeout", fallback: "30s", inProfile: true, check: duration,
			given:   func(f Flags) (string, bool) { return given(f.Timeout, time.Duration.String) },
			setting: func(s *Settings, v any) { s.Timeout = v.(time.Duration) },
			profile: func(p *Profile, v any) { p.Timeout = v.(time.Duration) },
		},
		{
			name: "retries", flag: "--retries", fallback: "3", inProfile: true, tag: "!!int", check: retries,
			given:   func(f Flags) (string, bool) { return given(f.Retries, strconv.Itoa) },
			setting: func(s *Settings, v any) { s.Retries = v.(int) },
			profile: func(p *Profile, v any) { n := v.(int); p.Retries = &n },
		},
		{
			name: keyInsecure, flag: flagInsecure, fallback: "false", inProfile: true, vouched: true, tag: "!!bool",
			check:   boolean,
			given:   func(f Flags) (string, bool) { return given(f.AllowInsecureHTTP, strconv.FormatBool) },
			setting: func(s *Settings, v any) { s.AllowInsecureHTTP = v.(bool) },
			profile: func(p *Profile, v any) { p.AllowInsecureHTTP = v.(bool) },
		},
		{
			name: KeyIdempotencyKeys, local: IdempotencyKeysHonoured, inProfile: true, vouched: true, emptyOK: true,
			check:   honouredOrEmpty,
			setting: func(s *Settings, v any) { s.IdempotencyKeys = v.(string) },
			profile: func(p *Profile, v any) { p.IdempotencyKeys = v.(string) },
		},
		{
			name: keyOperations, inProfile: true, many: true, check: operation,
			setting: func(s *Settings, v any) { s.Operations = v.(map[string]string) },
			profile: func(p *Profile, v any) { p.Operations = v.(map[string]string) },
		},
		{
			name: "kyc_status_pointer", inProfile: true, check: jsonPointer,
			setting: func(s *Settings, v any) { s.KYCStatusPointer = v.(string) },
			profile: func(p *Profile, v any) { p.KYCStatusPointer = v.(string) },
		},
	}
}

// given reports a flag's text and whether it was given.
func given[T any](value *T, text func(T) string) (string, bool) {
	if value == nil {
		return "", false
	}
	return text(*value), true
}

func asIs(s string) string { return s }

func findKey(name string) (key, bool) {
	all := keys()
	if i := slices.IndexFunc(all, func(k key) bool { return k.name == name }); i >= 0 {
		return all[i], true
	}
	return key{}, false
}

// ProfileKeys returns the keys that a profile may hold, in the order in which they are shown.
func ProfileKeys() []string {
	var names []string
	for _, k := range keys() {
		if k.inProfile {
			names = append(names, k.name)
		}
	}
	return names
}

// typed checks a raw value as the file holds it: text, or a mapping of names to text.
func (k key) typed(raw any) (any, error) {
	if !k.many {
		return k.check(raw.(string))
	}
	out := map[string]string{}
	for name, text := range raw.(map[string]string) {
		if _, err := k.check(text); err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}
