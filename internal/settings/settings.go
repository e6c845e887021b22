// Package settings reads and changes profiles, and determines the settings of one run.
//
// Profiles are in one YAML file. [Load] reads it and the methods of [File] change it. [File.Resolve] determines each
// setting: a flag overrides the environment, which overrides the profile, which overrides the default. The file has no
// secrets. They come from the environment here, and from the credential store in package auth.
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

// DefaultProfile exists without a configuration file. Its base URL is DefaultBaseURL, the default address of the
// reference service.
const (
	DefaultProfile = "local"
	DefaultBaseURL = "http://127.0.0.1:8700"
)

// IdempotencyKeysHonoured is the value of idempotency_keys for a service that executes a request at most once for each
// Idempotency-Key. With any other value, payctl does not rely on that.
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
	Origin            string         // the Origin of BaseURL
	ClientID          string         // or ""
	ClientSecret      string         `json:"-" yaml:"-"` // only from the environment
	Token             string         `json:"-" yaml:"-"` // only from the environment, and for Origin
	CACert            string         // PEM file of the service's certificate authorities; "" means the system's
	CredentialStore   string         // CredentialStoreKeyring or CredentialStoreFile
	Output            string         // table, json, ndjson, yaml or csv
	Timeout           time.Duration  // of one call with its retries; more than zero
	Retries           int            // attempts after the first, 0 to 100
	AllowInsecureHTTP bool           // plain http to hosts other than loopback
	IdempotencyKeys   string         // IdempotencyKeysHonoured or ""
	ListLag           time.Duration  // until lists show new resources; zero means immediately, Never means never
	References        *regexp.Regexp // matches the references that the service does not change; nil means all
	ServiceMap        *servicemap.Map
	LimitPayment      map[string]money.Decimal // by currency; nil means none
	LimitDay          map[string]money.Decimal
	Sources           map[string]Source // by key

	// Overridden is the base URL of the profile, if PAYCTL_BASE_URL overrides it.
	Overridden string

	entries []Entry
}

// A Source describes the origin of a value: "flag --base-url", "environment PAYCTL_BASE_URL", "profile work (PATH)",
// "built-in profile local", "built-in default" or "not set".
type Source string

const (
	notSet         = Source("not set")
	defaultValue   = Source("built-in default")
	builtinProfile = Source("built-in profile " + DefaultProfile)
)

// IsBuiltIn reports whether the user did not give the value.
func (s Source) IsBuiltIn() bool { return s == defaultValue || s == builtinProfile }

// An Entry is one line of `profile show`. A mapping has an entry for each name, such as operations.getKycStatus.
type Entry struct {
	Key    string `json:"key" yaml:"key"`
	Value  string `json:"value" yaml:"value"` // "set (hidden)" for a secret that is set
	Source Source `json:"source" yaml:"source"`
}

// Entries lists every setting with its source, in the order of the table and without secrets.
func (s Settings) Entries() []Entry { return s.entries }

// HasClient reports whether a client's id and secret are set.
func (s Settings) HasClient() bool { return s.ClientID != "" && s.ClientSecret != "" }

// HasCredentials reports whether the environment has a token, or a client's id and secret. Then no store is needed.
func (s Settings) HasCredentials() bool { return s.Token != "" || s.HasClient() }

// String formats the settings without their secrets.
func (s Settings) String() string { return fmt.Sprintf("%q", s.entries) }

// GoString does the same for %#v.
func (s Settings) GoString() string { return "settings.Settings{" + s.String() + "}" }
