package invocation

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// programs matches how the commands of a hint begin, and each quoted value as a whole, which may contain the same.
var programs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[ (])(?:` + shell.QuotedWord + `|payctl )`)
})

// withoutServiceFlags are the beginnings of commands that call no service, or name their profile themselves, and of
// words that follow the program's name in a sentence.
var withoutServiceFlags = []string{"serve", "version", "help", "profile set", "profile use", "anew", "that ", "to "}

// WithServiceFlags returns a hint whose commands have the flags of this one that name the service and how to reach
// it. A copied command must not log in to, or resolve writes at, another service.
func (d *Deps) WithServiceFlags(hint string) string {
	var flags string
	if d.Options.Profile != "" {
		flags += shell.Hint("-p PROFILE ", shell.Values{"PROFILE": d.Options.Profile})
	}
	if _, err := settings.ParseBaseURL(d.Options.BaseURL); err == nil { // a URL that is refused may hold a password
		flags += shell.Hint("--base-url URL ", shell.Values{"URL": d.Options.BaseURL})
	}
	if d.Options.CACert != "" {
		flags += shell.Hint("--ca-cert FILE ", shell.Values{"FILE": d.Options.CACert})
	}
	if slices.Contains([]string{keystore.KindKeyring, keystore.KindFile}, d.Options.CredentialStore) {
		flags += "--credential-store " + d.Options.CredentialStore + " "
	}
	if d.Options.AllowInsecureHTTP {
		flags += "--allow-insecure-http "
	}
	var b strings.Builder
	written := 0
	for _, at := range programs().FindAllStringIndex(hint, -1) {
		begins := func(command string) bool { return strings.HasPrefix(hint[at[1]:], command) }
		b.WriteString(hint[written:at[1]])
		written = at[1]
		if strings.HasSuffix(hint[:written], "payctl ") && !slices.ContainsFunc(withoutServiceFlags, begins) {
			b.WriteString(flags)
		}
	}
	return b.String() + hint[written:]
}
