package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/suggest"
)

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
	KeyClientID          = "client_id"
	keyOperations        = "operations"
	keyMembers           = "members"
	keyValues            = "values"
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

	envInsecureHTTP = "PAYCTL_ALLOW_INSECURE_HTTP"
)

// Variable is the environment variable of a key, of a global flag, or, with the command before it, of another flag:
// PAYCTL_BASE_URL of base_url and base-url, PAYCTL_SERVE_ADDR of serve and addr.
func Variable(words ...string) string {
	name := strings.Join(append([]string{program}, words...), "_")
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// FlagName is the command-line flag of a key.
func FlagName(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

// The places in which a setting can be given.
const (
	flag     = 1 << iota // a command-line flag, called as the key but with hyphens
	variable             // the environment variable that Variable returns
	file                 // a profile
)

// A key is one setting. The table that [keys] returns is the only place that lists them.
type key struct {
	name     string // in the file, in `profile set` and in Entries
	help     string // as the usage of a flag
	places   int
	fallback string // the built-in default, "" for none
	local    string // the value in the built-in DefaultProfile, "" for none
	tag      string // the YAML tag it is written with, !!str when empty

	secret    bool // never shown and never in the file
	emptyOK   bool // "" is a value, and does not remove the setting
	ofService bool // what a profile says of the service at its base URL; ignored at any other
	isPath    bool // a path: absolute in the file; relative to the working directory in other places

	set     func(*Settings, string) error     // checks a text and sets the field; nil for a mapping
	members func(*Settings) map[string]string // the field of a mapping of names to texts that member accepts
	member  func(string) error
}

func (k key) isIn(place int) bool { return k.places&place != 0 }

// into makes the function set of a key: parse checks a text, and field is where its value goes.
func into[T any](parse func(string) (T, error), field func(*Settings) *T) func(*Settings, string) error {
	return func(s *Settings, text string) (err error) {
		*field(s), err = parse(text)
		return err
	}
}

// keys is built at the first use, since some commands read no settings.
var keys = sync.OnceValue(func() []key {
	return []key{
		{
			name: KeyProfile, places: flag | variable, fallback: DefaultProfile, help: "use this `PROFILE`",
			set: into(profileName, func(s *Settings) *string { return &s.Profile }),
		},
		{
			name: KeyBaseURL, places: flag | variable | file, local: DefaultBaseURL, help: "`URL` of the service",
			set: into(ParseBaseURL, func(s *Settings) **url.URL { return &s.BaseURL }),
		},
		{
			name: KeyClientID, places: variable | file, ofService: true, help: "a client id, together with",
			set: into(clientID, func(s *Settings) *string { return &s.ClientID }),
		},
		{
			name: "client_secret", places: variable, secret: true,
			help: "its secret: payctl fetches a token with them for this process",
			set:  into(clientSecret, func(s *Settings) *string { return &s.ClientSecret }),
		},
		{
			name: "token", places: variable, secret: true,
			help: "an access token, for the service that PAYCTL_BASE_URL or PAYCTL_PROFILE names",
			set:  into(token, func(s *Settings) *string { return &s.Token }),
		},
		{
			name: KeyCACert, places: flag | variable | file, ofService: true, isPath: true,
			help: "trust only the certificate authorities in this PEM `FILE`",
			set:  into(filePath, func(s *Settings) *string { return &s.CACert }),
		},
		{
			name: KeyCredentialStore, places: flag | variable | file, fallback: CredentialStoreKeyring,
			help: "`STORE` of logins: keyring or file",
			set: into(oneOf(CredentialStoreKeyring, CredentialStoreFile),
				func(s *Settings) *string { return &s.CredentialStore }),
		},
		{
			name: KeyOutput, places: flag | variable | file, fallback: "table",
			help: "`FORMAT` of the output: table, json, ndjson, yaml or csv",
			set:  into(oneOf("table", "json", "ndjson", "yaml", "csv"), func(s *Settings) *string { return &s.Output }),
		},
		{
			name: KeyTimeout, places: flag | variable | file, fallback: "30s",
			help: "wait at most `DURATION` for one call, retries included",
			set:  into(duration, func(s *Settings) *time.Duration { return &s.Timeout }),
		},
		{
			name: KeyRetries, places: flag | variable | file, fallback: "3", tag: "!!int",
			help: "retry at most `N` times what can be repeated safely",
			set:  into(retries, func(s *Settings) *int { return &s.Retries }),
		},
		{
			name: KeyAllowInsecureHTTP, places: flag | variable | file, fallback: "false", tag: "!!bool", ofService: true,
			help: "allow plain http to another machine",
			set:  into(boolean, func(s *Settings) *bool { return &s.AllowInsecureHTTP }),
		},
		{
			name: KeyIdempotencyKeys, places: file, local: IdempotencyKeysHonoured, emptyOK: true, ofService: true,
			help: "honoured, if the service executes a request once for each Idempotency-Key",
			set:  into(honouredOrEmpty, func(s *Settings) *string { return &s.IdempotencyKeys }),
		},
		{
			name: "list_lag", places: file, ofService: true,
			help: "`DURATION` until the service's lists show what was created",
			set:  into(listLag, func(s *Settings) *time.Duration { return &s.ListLag }),
		},
		{
			name: keyOperations, places: file, ofService: true,
			help:   "the method and path that the service has in place of the contract's",
			member: operation, members: func(s *Settings) map[string]string { return s.Operations },
		},
		{
			name: keyMembers, places: file, ofService: true,
			help:   "the JSON Pointer at which the service has a member such as transfer.id",
			member: singleLine, members: func(s *Settings) map[string]string { return s.Members },
		},
		{
			name: keyValues, places: file, ofService: true,
			help:   "the service's words, separated by commas, for a status such as kyc.approved",
			member: singleLine, members: func(s *Settings) map[string]string { return s.Values },
		},
		{
			name: "idempotency_header", places: file, ofService: true,
			help: "the header field of idempotency keys, if it is not Idempotency-Key",
			set:  into(headerName, func(s *Settings) *string { return &s.KeyHeader }),
		},
	}
})

// A Key describes one setting, for help and completion.
type Key struct {
	Name, Help string
	Default    string // what counts where nothing else gives a value; empty: nothing
	Variable   string // empty: none
	IsFlag     bool
	InProfile  bool
	IsMapping  bool // of names, which follow after a dot
}

// Keys lists all settings in the order in which they are shown. The list is made once, since each flag asks for its key.
var Keys = sync.OnceValue(func() []Key {
	var all []Key
	for _, k := range keys() {
		public := Key{
			Name: k.name, Help: k.help, IsFlag: k.isIn(flag), InProfile: k.isIn(file), IsMapping: k.member != nil,
		}
		if k.isIn(variable) {
			public.Variable = Variable(k.name)
		}
		if k.isIn(file) {
			public.Default = k.fallback
		}
		all = append(all, public)
	}
	return all
})

// OfFlag returns the key of a command-line flag, and false if the flag is not that of a key.
func OfFlag(name string) (Key, bool) {
	name = strings.ReplaceAll(name, "-", "_")
	for _, k := range Keys() {
		if k.IsFlag && k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// findKey returns the key of that name; the key without a name if there is none.
func findKey(name string) key {
	all := keys()
	if i := slices.IndexFunc(all, func(k key) bool { return k.name == name }); i >= 0 {
		return all[i]
	}
	return key{}
}

// profileKey returns the key that a profile may have by a name.
func profileKey(name string) (key, error) {
	k := findKey(name)
	switch {
	case k.secret:
		return k, &Error{
			Reason: fmt.Sprintf("%q is a secret, which the configuration file does not hold", name),
			Next:   "set " + Variable(name) + ", or run payctl auth login",
		}
	case k.isIn(file):
		return k, nil
	}
	var known []string
	for _, k := range keys() {
		if k.isIn(file) {
			known = append(known, k.name)
		}
	}
	guess := ""
	if nearest := suggest.Guess(name, known); nearest != "" {
		guess = fmt.Sprintf(", did you mean %q?", nearest)
	}
	return k, &Error{
		Reason: fmt.Sprintf("unknown key %q%s", shorten(name), guess),
		Next:   "the keys of a profile are " + strings.Join(known, ", "),
	}
}

// memberExamples are names in the mappings.
var memberExamples = map[string]string{
	keyOperations: "operations.getKycStatus", keyMembers: "members.transfer.id", keyValues: "values.kyc.approved",
}

// splitKey returns the key that a name such as operations.getKycStatus means, and the member of a mapping.
func splitKey(name string) (k key, member string, err error) {
	base, member, dotted := strings.Cut(name, ".")
	if k, err = profileKey(base); err != nil {
		return k, "", err
	}
	switch {
	case k.member == nil && dotted:
		return k, "", &Error{Reason: fmt.Sprintf("%q: %s has a single value, without a dot", shorten(name), base)}
	case k.member != nil && memberName(member) != nil:
		return k, "", &Error{
			Reason: base + " has a value for each of its names", Next: "name one after a dot, as in " + memberExamples[base],
		}
	}
	return k, member, nil
}
