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

// completionTimeout bounds one call for a completion, while a person waits after Tab.
const completionTimeout = time.Second

// prepareCompletion gives the commands their completions, but only if a shell asks for some: other starts must not pay
// for that.
func (p *program) prepareCompletion(root *cobra.Command) {
	if len(p.Args) > 0 && strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd) {
		cli.AttachCompletion(root, p.Deps, p.quickService)
		p.Err = io.Discard // pressing Tab must not print errors
		root.SetErr(io.Discard)
	}
}

// quickService returns a client that tries once, for a short time. It uses the credentials of the environment or of the
// credential file. It does not unlock a keyring.
func (p *program) quickService() (payments.Reads, bool) {
	resolved, err := p.Settings()
	if err != nil || !resolved.HasCredentials() && resolved.CredentialStore != settings.CredentialStoreFile {
		return nil, false
	}
	l, err := p.makeLogin(completionTimeout)
	if err != nil {
		return nil, false
	}
	resolved.Timeout, resolved.Retries = completionTimeout, 0
	service, err := p.newClient(resolved, l.source, nil)
	return service, err == nil
}
