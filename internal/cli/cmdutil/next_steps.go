package cmdutil

import (
	"slices"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// withoutServiceFlags are the commands that call no service, or name their profile themselves.
var withoutServiceFlags = [][]string{{"serve"}, {"version"}, {"help"}, {"profile", "set"}, {"profile", "use"}}

// NextStep returns a hint for a person. A command of payctl gets the flags of this one that name the service: a copied
// command must not log in to another one, or resolve writes there.
func (d *Deps) NextStep(hint shell.Hint) string {
	words := hint.Command
	if len(words) == 0 || words[0] != "payctl" || slices.ContainsFunc(withoutServiceFlags, func(command []string) bool {
		return len(words) > len(command) && slices.Equal(words[1:1+len(command)], command)
	}) {
		return hint.String()
	}
	hint.Command = slices.Concat(words[:1], d.serviceFlags(), words[1:])
	return hint.String()
}

// serviceFlags are the flags of this command that name the service.
func (d *Deps) serviceFlags() (flags []string) {
	if d.Options.Profile != "" {
		flags = append(flags, "-p", d.Options.Profile)
	}
	if _, err := settings.ParseBaseURL(d.Options.BaseURL); err == nil { // a URL that is refused may hold a password
		flags = append(flags, "--base-url", d.Options.BaseURL)
	}
	if d.Options.CACert != "" {
		flags = append(flags, "--ca-cert", d.Options.CACert)
	}
	if slices.Contains([]string{keystore.KeyringStore, keystore.FileStore}, d.Options.CredentialStore) {
		flags = append(flags, "--credential-store", d.Options.CredentialStore)
	}
	if d.Options.AllowInsecureHTTP {
		flags = append(flags, "--allow-insecure-http")
	}
	return flags
}
