package app

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/completion"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// completionTime is how long one call for a completion may take; a person who presses Tab waits no longer.
const completionTime = time.Second

// prepareCompletion gives the commands their completions, if a shell has called the program for that: all other
// starts must not pay for it.
func prepareCompletion(d *cmdutil.Deps, root *cobra.Command, args []string) {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		d.Quick = func(ctx context.Context) (payments.Reads, string, bool) { return quickService(ctx, d) }
		completion.Attach(root, d, args)
		d.Err = io.Discard // pressing Tab must not print errors
		root.SetErr(io.Discard)
	}
}

// quickService returns the service with credentials that need no unlocking, those of the environment or of the
// credential file, and a text that identifies whose data it shows. There are none where the login is in a keyring.
func quickService(ctx context.Context, d *cmdutil.Deps) (service payments.Reads, identity string, ok bool) {
	resolved, err := d.Settings()
	if err != nil || !resolved.HasCredentials() && resolved.CredentialStore != settings.CredentialStoreFile {
		return nil, "", false
	}
	service, credentials, err := quickClient(d, resolved)
	if err != nil {
		return nil, "", false
	}
	clientID, err := credentials.ClientID(ctx)
	if err != nil {
		return nil, "", false
	}
	identity = strings.Join([]string{resolved.Profile, resolved.BaseURL.String(), clientID, resolved.Token}, "\n")
	return service, identity, true
}

// quickClient makes a client that tries once, for a short time, and logs nothing.
func quickClient(d *cmdutil.Deps, resolved settings.Settings) (payments.Reads, *auth.Source, error) {
	c, err := client.ConfigFromSettings(resolved, d.Build.Version)
	if err != nil {
		return nil, nil, err
	}
	c.Timeout, c.Retries, c.Secrets = completionTime, 0, &redact.Secrets{}
	c.Secrets.Add(resolved.Token, resolved.ClientSecret)
	tokens, err := client.New(c)
	if err != nil {
		return nil, nil, err
	}
	credentials := &auth.Source{Settings: resolved, Logins: d.Logins, Tokens: tokens, Now: d.Now, Learn: c.Secrets.Add}
	c.Token = credentials
	service, err := client.New(c)
	return service, credentials, err
}
