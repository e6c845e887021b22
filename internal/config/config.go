// Package config holds profiles and settings: which service the program talks to, and how.
//
// Profiles live in one YAML file. [Load] reads it, the methods of [File] change it without losing
// comments, and [File.Resolve] lays flags over the environment over the profile over the defaults.
// Secrets are never part of the file; they come from the environment here and from the credential
// store elsewhere.
//
// A single table (see keys.go) says what each key is called in the file, on the command line and in
// the environment, what it accepts and where it goes. Everything else is derived from it.
package config

import "time"

// DefaultProfile is the profile that exists without a configuration file. It points at the address
// that the reference service listens on when it is given none.
const DefaultProfile = "local"

// DefaultBaseURL is the base URL of the built-in [DefaultProfile].
const DefaultBaseURL = "http://127.0.0.1:8700"

// FileName is the name of the configuration file inside the folder that [Dir] returns.
const FileName = "config.yaml"

// IdempotencyKeysHonoured is the value of the idempotency_keys setting that says the service executes
// a request at most once for each Idempotency-Key. Any other value means that it is not trusted to.
const IdempotencyKeysHonoured = "honoured"

// Values of the credential_store setting.
const (
	CredentialStoreKeyring = "keyring"
	CredentialStoreFile    = "file"
)

// Profile is what one profile states: the built-in part of [DefaultProfile] and the file's entry over
// it. A zero value means that the profile is silent. The key of each field in the file is its name in
// snake case, for example KYCStatusPointer is kyc_status_pointer.
type Profile struct {
	BaseURL           string
	ClientID          string
	CACert            string            // absolute path of a PEM file
	Output            string            // table, json, ndjson, yaml or csv
	CredentialStore   string            // keyring or file
	Timeout           time.Duration     // of one command's network work
	Retries           *int              // attempts after the first; nil when silent, as 0 is a choice
	AllowInsecureHTTP bool              // plain http to hosts other than loopback
	IdempotencyKeys   string            // IdempotencyKeysHonoured or ""
	Operations        map[string]string // operationId → "METHOD /path"
	KYCStatusPointer  string            // RFC 6901 JSON Pointer to the status
}

// Flags are the settings given on the command line; nil stands for a flag that was not given.
type Flags struct {
	Profile           *string
	BaseURL           *string
	CACert            *string
	Output            *string
	CredentialStore   *string
	Timeout           *time.Duration
	Retries           *int
	AllowInsecureHTTP *bool
}
