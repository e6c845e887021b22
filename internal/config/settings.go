package config

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
)

// Source says where a value came from, in words for a person: "flag --base-url", "environment
// PAYCTL_BASE_URL", "profile work (PATH)", "built-in profile local", "built-in default" or "not set".
type Source string

// Presumed says whether a value is built in: nobody has given it.
func (s Source) Presumed() bool { return s == defaultValue || s == builtinProfile }

// Settings are what one run of the program goes by. The secrets in it are hidden from every way of
// printing it.
type Settings struct {
	Profile           string
	BaseURL           *url.URL      // http or https, no trailing slash, no query, no user information
	Origin            string        // of BaseURL, as the function Origin gives it
	ClientID          string        // "" when none is configured
	ClientSecret      string        `json:"-" yaml:"-"` // from the environment only
	Token             string        `json:"-" yaml:"-"` // from the environment only; belongs to Origin
	CACert            string        // PEM file of the service's certificate authorities; "" for the system's
	CredentialStore   string        // CredentialStoreKeyring or CredentialStoreFile
	Output            string        // table, json, ndjson, yaml or csv
	Timeout           time.Duration // more than zero
	Retries           int           // attempts after the first, 0 to 100
	AllowInsecureHTTP bool
	IdempotencyKeys   string            // IdempotencyKeysHonoured when the service at BaseURL is trusted to honour them
	Operations        map[string]string // operationId → "METHOD /path"
	KYCStatusPointer  string            // RFC 6901 JSON Pointer, "" for the member of the contract
	Sources           map[string]Source // by key, as Entries names them

	raw map[string]any // the text of each value, for Entries
}

// Entry is one line of `profile show`.
type Entry struct {
	Key    string `json:"key" yaml:"key"`
	Value  string `json:"value" yaml:"value"` // "set (hidden)" for a secret that is set
	Source Source `json:"source" yaml:"source"`
}

const hidden = "set (hidden)"

// Entries lists every setting with its source, in a fixed order, secrets hidden. A mapping has one
// entry for each of its names, as operations.getKycStatus.
func (s Settings) Entries() []Entry {
	return entries(s.raw, s.Sources, func(key) bool { return true })
}

func entries(raw map[string]any, sources map[string]Source, wanted func(key) bool) []Entry {
	var out []Entry
	for _, k := range keys() {
		if !wanted(k) {
			continue
		}
		source := sources[k.name]
		switch value := raw[k.name].(type) {
		case map[string]string:
			for _, name := range sortedNames(value) {
				out = append(out, Entry{Key: k.name + "." + name, Value: value[name], Source: source})
			}
		case string:
			if k.secret {
				value = hidden
			}
			out = append(out, Entry{Key: k.name, Value: value, Source: source})
		default:
			out = append(out, Entry{Key: k.name, Source: unsetValue})
		}
	}
	return out
}

// HasClient says whether the environment names a client and its secret.
func (s Settings) HasClient() bool { return s.ClientID != "" && s.ClientSecret != "" }

// HasCredentials says whether the environment has a token, or a client and its secret: no store need be asked for those.
func (s Settings) HasCredentials() bool { return s.Token != "" || s.HasClient() }

// String renders the settings for a log line, with their secrets hidden.
func (s Settings) String() string {
	var b strings.Builder
	for i, entry := range s.Entries() {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%q", entry.Key, entry.Value)
	}
	return b.String()
}

// GoString keeps the secrets out of %#v too.
func (s Settings) GoString() string { return "config.Settings{" + s.String() + "}" }

// LogValue keeps the secrets out of structured logs.
func (s Settings) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, entry := range s.Entries() {
		attrs = append(attrs, slog.String(entry.Key, entry.Value))
	}
	return slog.GroupValue(attrs...)
}
