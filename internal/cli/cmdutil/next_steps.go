package cmdutil

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// program is how the commands of a hint begin.
const program = "payctl "

// withoutServiceFlags are the beginnings of commands that call no service, or name their profile themselves, and of
// words that follow the program's name in a sentence.
var withoutServiceFlags = []string{"serve", "version", "profile set", "profile use", "anew", "that ", "to "}

// WithServiceFlags returns a hint whose commands have the flags of this one that name the service and how to reach
// it. A copied command must not log in to, or resolve writes at, another service.
func (d *Deps) WithServiceFlags(hint string) string {
	var flags string
	if d.Options.Profile != "" {
		flags += "-p " + shell.Quote(d.Options.Profile) + " "
	}
	if _, err := settings.ParseBaseURL(d.Options.BaseURL); err == nil { // a URL that is refused may hold a password
		flags += "--base-url " + shell.Quote(d.Options.BaseURL) + " "
	}
	if d.Options.CACert != "" {
		flags += "--ca-cert " + shell.Quote(d.Options.CACert) + " "
	}
	if slices.Contains(keystore.Kinds(), d.Options.CredentialStore) {
		flags += "--credential-store " + d.Options.CredentialStore + " "
	}
	if d.Options.AllowInsecureHTTP {
		flags += "--allow-insecure-http "
	}
	parts := strings.Split(hint, program)
	for i, part := range parts[1:] {
		begins := func(command string) bool { return strings.HasPrefix(part, command) }
		if !slices.ContainsFunc(withoutServiceFlags, begins) {
			parts[i+1] = flags + part
		}
	}
	return strings.Join(parts, program)
}
