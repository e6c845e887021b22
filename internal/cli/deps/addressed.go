package deps

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/safefile"
)

// program is how the commands of a hint begin.
const program = "payctl "

// elsewhere are the commands of hints that go to no service, or name their profile themselves, and words where the program is
// spoken of.
var elsewhere = []string{"serve", "version", "profile set", "profile use", "anew", "that ", "to "}

// Addressed is a hint whose commands go where this one went, also where flags said so: run as they stand, they must not log in
// to, or settle at, another service, keep the login where this one does not look for it, or fail to trust the service.
func (d *Deps) Addressed(hint string) string {
	var flags string
	if d.Options.Profile != "" {
		flags += "-p " + safefile.Quote(d.Options.Profile) + " "
	}
	if _, err := config.ParseBaseURL(d.Options.BaseURL); err == nil { // one that is refused may hold a password
		flags += "--base-url " + safefile.Quote(d.Options.BaseURL) + " "
	}
	if d.Options.CACert != "" {
		flags += "--ca-cert " + safefile.Quote(d.Options.CACert) + " "
	}
	if slices.Contains(credential.Kinds(), d.Options.CredentialStore) {
		flags += "--credential-store " + d.Options.CredentialStore + " "
	}
	if d.Options.AllowInsecureHTTP {
		flags += "--allow-insecure-http "
	}
	parts := strings.Split(hint, program)
	for i, part := range parts[1:] {
		if !slices.ContainsFunc(elsewhere, func(command string) bool { return strings.HasPrefix(part, command) }) {
			parts[i+1] = flags + part
		}
	}
	return strings.Join(parts, program)
}
