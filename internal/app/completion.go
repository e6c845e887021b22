package app

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/cli/completion"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// completionTime is how long one call for a completion may take; a person who presses Tab waits no longer.
const completionTime = time.Second

// prepareCompletion gives the commands their completions, if a shell has called the program for that: all other
// starts must not pay for it.
func prepareCompletion(d *invocation.Deps, root *cobra.Command, args []string) {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completion.Attach(root, d, func() (payments.Reads, bool) { return quickService(d) }, args)
		d.Err = io.Discard // pressing Tab must not print errors
		root.SetErr(io.Discard)
	}
}

// quickService returns the service with credentials that need no unlocking, those of the environment or of the
// credential file. There are none where the login is in a keyring.
func quickService(d *invocation.Deps) (payments.Reads, bool) {
	resolved, err := d.Settings()
	if err != nil || !resolved.HasCredentials() && resolved.CredentialStore != settings.CredentialStoreFile {
		return nil, false
	}
	service, err := quickClient(d, resolved)
	return service, err == nil
}

// quickClient makes a client that tries once, for a short time, and logs nothing.
func quickClient(d *invocation.Deps, resolved settings.Settings) (payments.Reads, error) {
	c, err := client.ConfigFromSettings(resolved, d.Build.Version)
	if err != nil {
		return nil, err
	}
	c.Timeout, c.Retries, c.Secrets = completionTime, 0, &redact.Secrets{}
	c.Secrets.Add(resolved.Token, resolved.ClientSecret)
	tokens, err := client.New(c)
	if err != nil {
		return nil, err
	}
	c.Token = &auth.Source{Settings: resolved, Logins: d.Logins, Tokens: tokens, Now: d.Now, Learn: c.Secrets.Add}
	return client.New(c)
}
