// Package settings reads and changes profiles and determines the settings of one run: which service is called, and how.
//
// Profiles are in one YAML file, which [Load] reads and the methods of [File] change. [File.Resolve] determines each
// setting: a flag wins over the environment, that over the profile, and that over the default. Secrets are never in the
// file; they come from the environment here, and from the credential store in package auth.
//
// The table in keys.go lists all settings. A new one is a field of [Settings] and a row of the table.
package settings

import (
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/money"
)

// DefaultProfile is the profile that exists without a configuration file. Its base URL is DefaultBaseURL, the address
// at which the reference service listens by default.
const (
	DefaultProfile = "local"
	DefaultBaseURL = "http://127.0.0.1:8700"
)

// IdempotencyKeysHonoured is the value of the idempotency_keys setting for a service that executes a request at most
// once for each Idempotency-Key. With any other value the service is not trusted to do that.
const IdempotencyKeysHonoured = "honoured"

// Values of the credential_store setting.
const (
	CredentialStoreKeyring = "keyring"
	CredentialStoreFile    = "file"
)

// Settings are the settings of one run of the program. Printing, logging and encoding them hides the secrets.
type Settings struct {
	Profile           string
	BaseURL           *url.URL       // http or https, no trailing slash, no query, no user information
	Origin            string         // of BaseURL, as the function Origin returns it
	ClientID          string         // "" when none is configured
	ClientSecret      string         `json:"-" yaml:"-"` // from the environment only
	Token             string         `json:"-" yaml:"-"` // from the environment only; for Origin alone
	CACert            string         // PEM file of the service's certificate authorities; "" for the system's
	CredentialStore   string         // CredentialStoreKeyring or CredentialStoreFile
	Output            string         // table, json, ndjson, yaml or csv
	Timeout           time.Duration  // of one command's network calls; more than zero
	Retries           int            // attempts after the first, 0 to 100
	AllowInsecureHTTP bool           // plain http to hosts other than loopback
	IdempotencyKeys   string         // IdempotencyKeysHonoured, or "" if the service is not trusted to honour them
	ListLag           time.Duration  // until lists show what was created; zero means at once, and Never never
	References        *regexp.Regexp // matches the references that the service keeps as they are; nil means all
	ServiceMap        *servicemap.Map
	LimitPayment      map[string]money.Decimal // by currency; nil means none
	LimitDay          map[string]money.Decimal
	Sources           map[string]Source // by key

	// Overridden is the base URL of the profile that PAYCTL_BASE_URL wins over; empty if it does not.
	Overridden string

	entries []Entry
}

// A Source names where a value came from, for a person: "flag --base-url", "environment PAYCTL_BASE_URL", "profile work
// (PATH)", "built-in profile local", "built-in default" or "not set".
type Source string

const (
	notSet         = Source("not set")
	defaultValue   = Source("built-in default")
	builtinProfile = Source("built-in profile " + DefaultProfile)
)

// IsBuiltIn reports whether the user did not give the value.
func (s Source) IsBuiltIn() bool { return s == defaultValue || s == builtinProfile }

// An Entry is one line of `profile show`. A mapping has one for each of its names, such as operations.getKycStatus.
type Entry struct {
	Key    string `json:"key" yaml:"key"`
	Value  string `json:"value" yaml:"value"` // "set (hidden)" for a secret that is set
	Source Source `json:"source" yaml:"source"`
}

// Entries lists every setting with its source in the order of the table, secrets hidden.
func (s Settings) Entries() []Entry { return s.entries }

// HasClient reports whether a client's id and secret are set.
func (s Settings) HasClient() bool { return s.ClientID != "" && s.ClientSecret != "" }

// HasCredentials reports whether the environment has a token, or a client's id and secret, so that no store is needed.
func (s Settings) HasCredentials() bool { return s.Token != "" || s.HasClient() }

// String formats the settings for a log line, with their secrets hidden.
func (s Settings) String() string { return fmt.Sprintf("%q", s.entries) }

// GoString hides the secrets from %#v too.
func (s Settings) GoString() string { return "settings.Settings{" + s.String() + "}" }
