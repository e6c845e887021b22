package app

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// completionTime is how long one call for a completion may take; a person who presses Tab waits no longer.
const completionTime = time.Second

// prepareCompletion gives the commands their completions, if a shell has called the program for that: all other
// starts must not pay for it.
func (p *program) prepareCompletion(root *cobra.Command) {
	if len(p.Args) > 0 && strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd) {
		cli.AttachCompletion(root, p.Deps, p.quickService)
		p.Err = io.Discard // pressing Tab must not print errors
		root.SetErr(io.Discard)
	}
}

// quickService returns a client that tries once, for a short time, with credentials that need no unlocking: those of
// the environment or of the credential file. There are none where the login is in a keyring.
func (p *program) quickService() (payments.Reads, bool) {
	resolved, err := p.Settings()
	if err != nil || !resolved.HasCredentials() && resolved.CredentialStore != settings.CredentialStoreFile {
		return nil, false
	}
	l, err := p.makeLogin(completionTime)
	if err != nil {
		return nil, false
	}
	resolved.Timeout, resolved.Retries = completionTime, 0
	service, err := p.newClient(resolved, l.source, nil)
	return service, err == nil
}
