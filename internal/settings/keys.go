package settings

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/textutil"
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
	KeyLimitPayment      = "limit_payment"
	KeyLimitDay          = "limit_day"
	keyOperations        = "operations"
)

// Environment variables. Each overrides the profile.
const (
	EnvProfile  = "PAYCTL_PROFILE" // overrides the current profile
	EnvBaseURL  = "PAYCTL_BASE_URL"
	EnvClientID = "PAYCTL_CLIENT_ID"
	EnvSecret   = "PAYCTL_CLIENT_SECRET" // sent only to the origin that the environment names
	EnvToken    = "PAYCTL_TOKEN"         // sent only to the same origin
	EnvCACert   = "PAYCTL_CA_CERT"
	EnvOutput   = "PAYCTL_OUTPUT"
	EnvStore    = "PAYCTL_CREDENTIAL_STORE"

	// EnvWebhookSecret is the secret that signs events. It overrides the stored secret of a profile.
	EnvWebhookSecret = "PAYCTL_WEBHOOK_SECRET"

	envInsecureHTTP = "PAYCTL_ALLOW_INSECURE_HTTP"
)

// Variable is the environment variable of a key or a flag. For flags of a command, the command comes first:
// PAYCTL_BASE_URL belongs to base_url and base-url, PAYCTL_SERVE_ADDR to serve and addr.
func Variable(words ...string) string {
	name := strings.Join(append([]string{program}, words...), "_")
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// FlagName is the command-line flag of a key.
func FlagName(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

// A Key is one setting. The table that [Keys] returns is the only place that lists them.
type Key struct {
	Name      string // in the file, in `profile set` and in Entries
	Help      string // the usage of the flag
	Default   string
	Variable  string // in the environment
	IsFlag    bool   // there is a flag with the name of the key, with hyphens
	InProfile bool
	IsMapping bool   // belongs to the service map; package servicemap reads it
	Below     string // for help: an example of the names in a mapping

	local     string // the value in the built-in DefaultProfile
	tag       string // the YAML tag in the file; empty means !!str
	secret    bool   // never shown and never in the file
	emptyOK   bool   // "" is a value, and does not remove the setting
	ofService bool   // describes the service at the profile's base URL; ignored at any other
	isList    bool   // may be a list in the file
	isPath    bool   // a path; must be absolute in the file

	set func(s *Settings, text string) error // checks a text and sets the field; nil means a mapping
}

// into returns the function set of a key: parse parses the text, and field returns where its value goes.
func into[T any](parse func(string) (T, error), field func(*Settings) *T) func(*Settings, string) error {
	return func(s *Settings, text string) (err error) {
		*field(s), err = parse(text)
		return err
	}
}

// Keys lists all settings, in the order for users. The first call makes the list, since some commands read no settings.
var Keys = sync.OnceValue(func() []Key {
	return []Key{
		{
			Name: KeyProfile, IsFlag: true, Variable: EnvProfile, Help: "use this `PROFILE`",
			set: into(profileName, func(s *Settings) *string { return &s.Profile }),
		},
		{
			Name: KeyBaseURL, IsFlag: true, Variable: EnvBaseURL, InProfile: true, local: DefaultBaseURL,
			Help: "`URL` of the service", set: into(ParseBaseURL, func(s *Settings) **url.URL { return &s.BaseURL }),
		},
		{
			Name: KeyClientID, Variable: EnvClientID, InProfile: true, ofService: true, Help: "the client's id",
			set: into(clientID, func(s *Settings) *string { return &s.ClientID }),
		},
		{
			Name: "client_secret", Variable: EnvSecret, secret: true,
			Help: "its secret: payctl fetches a token with them for this process",
			set:  into(singleLine, func(s *Settings) *string { return &s.ClientSecret }),
		},
		{
			Name: "token", Variable: EnvToken, secret: true,
			Help: "an access token, for the service that PAYCTL_BASE_URL or PAYCTL_PROFILE names",
			set:  into(token, func(s *Settings) *string { return &s.Token }),
		},
		{
			Name: KeyCACert, IsFlag: true, Variable: EnvCACert, InProfile: true, ofService: true, isPath: true,
			Help: "trust only the certificate authorities in this PEM `FILE`",
			set:  into(filePath, func(s *Settings) *string { return &s.CACert }),
		},
		{
			Name: KeyCredentialStore, IsFlag: true, Variable: EnvStore, InProfile: true, Default: CredentialStoreKeyring,
			Help: "`STORE` of logins: keyring or file",
			set: into(oneOf(CredentialStoreKeyring, CredentialStoreFile),
				func(s *Settings) *string { return &s.CredentialStore }),
		},
		{
			Name: KeyOutput, IsFlag: true, Variable: EnvOutput, InProfile: true, Default: "table",
			Help: "`FORMAT` of the output: table, json, ndjson, yaml or csv",
			set:  into(oneOf("table", "json", "ndjson", "yaml", "csv"), func(s *Settings) *string { return &s.Output }),
		},
		{
			Name: KeyTimeout, IsFlag: true, Variable: Variable(KeyTimeout), InProfile: true, Default: "30s",
			Help: "wait at most `DURATION` for one call, retries included",
			set:  into(duration, func(s *Settings) *time.Duration { return &s.Timeout }),
		},
		{
			Name: KeyRetries, IsFlag: true, Variable: Variable(KeyRetries), InProfile: true, Default: "3", tag: "!!int",
			Help: "retry a call at most `N` times if that is safe; a Retry-After is always waited for",
			set:  into(retries, func(s *Settings) *int { return &s.Retries }),
		},
		{
			Name: KeyAllowInsecureHTTP, IsFlag: true, Variable: envInsecureHTTP, InProfile: true, Default: "false",
			tag: "!!bool", ofService: true, Help: "allow plain http to another machine",
			set: into(boolean, func(s *Settings) *bool { return &s.AllowInsecureHTTP }),
		},
		{
			Name: KeyIdempotencyKeys, InProfile: true, local: IdempotencyKeysHonoured, emptyOK: true, ofService: true,
			Help: "honoured, if the service executes a request once for each Idempotency-Key",
			set:  into(oneOf(IdempotencyKeysHonoured, ""), func(s *Settings) *string { return &s.IdempotencyKeys }),
		},
		{
			Name: "list_lag", InProfile: true, ofService: true,
			Help: "`DURATION` until the service's lists show new resources, or never",
			set:  into(durationOrNever, func(s *Settings) *time.Duration { return &s.ListLag }),
		},
		{
			Name: "references", InProfile: true, ofService: true,
			Help: "`PATTERN` of the references that the service does not change; others are refused before sending",
			set:  into(wholePattern, func(s *Settings) **regexp.Regexp { return &s.References }),
		},
		{
			Name: KeyLimitPayment, InProfile: true, isList: true,
			Help: "the most for one payment, as `AMOUNT:CURRENCY,…`; to confirm more, the user types the amount",
			set:  into(limits, func(s *Settings) *map[string]money.Decimal { return &s.LimitPayment }),
		},
		{
			Name: KeyLimitDay, InProfile: true, isList: true,
			Help: "the most for all payments in 24 hours, as `AMOUNT:CURRENCY,…`",
			set:  into(limits, func(s *Settings) *map[string]money.Decimal { return &s.LimitDay }),
		},
		{
			Name: keyOperations, InProfile: true, IsMapping: true, ofService: true, Below: ".OPERATION",
			Help: "the METHOD /path of an operation, or none",
		},
		{
			Name: "answers", InProfile: true, IsMapping: true, ofService: true, Below: ".one",
			Help: "the /POINTER to a resource (one), to the rows of a list (list), or of one OPERATION",
		},
		{
			Name: "pages", InProfile: true, IsMapping: true, ofService: true, Below: ".next",
			Help: "the next page (/POINTER, link, page 1, offset …), and the parameters; also more, total, limit",
		},
		{
			Name: "members", InProfile: true, IsMapping: true, ofService: true, Below: ".transfer.id",
			Help: "the /POINTER to a member of account, kyc, contact or transfer, none, or {read: …, send: …, filter: …}",
		},
		{
			Name: "send", InProfile: true, IsMapping: true, ofService: true, Below: ".OPERATION.NAME",
			Help: "a constant that the service needs; null means that the command gives it",
		},
		{
			Name: "values", InProfile: true, IsMapping: true, ofService: true, Below: ".kyc.approved",
			Help: "the service's word for a status of kyc or transfer, or several: [WORD, WORD]",
		},
		{
			Name: "amounts", InProfile: true, IsMapping: true, ofService: true,
			Help: "text (\"5.00\", the default), number (5.00) or minor (500)",
		},
		{
			Name: "decimals", InProfile: true, IsMapping: true, ofService: true, Below: ".USDC",
			Help: "the decimals of a currency in minor units that ISO 4217 does not have",
		},
		{
			Name: "login", InProfile: true, IsMapping: true, ofService: true, Below: ".form.grant_type",
			Help: "a member of the token request, in a form or in json; no secrets",
		},
		{
			Name: "idempotency_header", InProfile: true, IsMapping: true, ofService: true,
			Help: "the header field of idempotency keys, if it is not Idempotency-Key",
		},
	}
})

// OfFlag returns the key of a command-line flag, and false if the flag has no key.
func OfFlag(name string) (Key, bool) {
	k := findKey(strings.ReplaceAll(name, "-", "_"))
	return k, k.IsFlag
}

// findKey returns the key of that name, or the zero Key.
func findKey(name string) Key {
	for _, k := range Keys() {
		if k.Name == name {
			return k
		}
	}
	return Key{}
}

// profileKey returns the key of that name, if a profile may have it.
func profileKey(name string) (Key, error) {
	k := findKey(name)
	switch {
	case k.secret:
		return k, &Error{
			Reason: fmt.Sprintf("%q is a secret, and the configuration file has no secrets", name),
			Next:   shell.Payctl("auth login").With("or set " + Variable(name)),
		}
	case k.InProfile:
		return k, nil
	}
	var known []string
	for _, k := range Keys() {
		if k.InProfile {
			known = append(known, k.Name)
		}
	}
	guess := ""
	if nearest := textutil.Guess(name, known); nearest != "" {
		guess = fmt.Sprintf(", did you mean %q?", nearest)
	}
	return k, &Error{
		Reason: fmt.Sprintf("unknown key %q%s", shorten(name), guess),
		Next:   shell.Hint{Note: "the keys of a profile are " + strings.Join(known, ", ")},
	}
}

// splitKey splits a name such as operations.getKycStatus. It returns the key and the path in the profile.
func splitKey(name string) (k Key, path []string, err error) {
	base, member, dotted := strings.Cut(name, ".")
	if k, err = profileKey(base); err != nil {
		return k, nil, err
	}
	switch {
	case !k.IsMapping && dotted:
		return k, nil, &Error{Reason: fmt.Sprintf("%q: %s has a single value, without a dot", shorten(name), base)}
	case !dotted:
		return k, []string{base}, nil
	}
	return k, append([]string{base}, strings.Split(member, ".")...), nil
}
