package app

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/complete"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/connect"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/session"
)

// completionTime is how long one call for a completion may take.
const completionTime = time.Second

// prepareCompletion gives the commands their completions where the program was called by a shell that completes, and by
// nobody else: starting must cost nothing more.
func prepareCompletion(d *deps.Deps, root *cobra.Command, args []string) {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		d.Quick = func(ctx context.Context) (payments.Service, string, bool) { return quick(ctx, d) }
		complete.Attach(root, d, args)
		d.Err = io.Discard // whoever presses a key is shown words or nothing
		root.SetErr(io.Discard)
	}
}

// quick is the service with credentials that nobody has to unlock, and whose world it is: of the environment, or of the
// credential file. There is none where the login is in a keyring.
func quick(ctx context.Context, d *deps.Deps) (service payments.Service, identity string, ok bool) {
	settings, err := d.Settings()
	if err != nil {
		return nil, "", false
	}
	logins := func() (credential.Store, error) { return nothing{}, nil }
	clientID := settings.ClientID
	if !settings.HasCredentials() {
		if settings.CredentialStore != config.CredentialStoreFile {
			return nil, "", false
		}
		logins = d.Logins
		store, err := logins()
		if err != nil {
			return nil, "", false
		}
		login, err := store.Get(ctx, session.Key(settings))
		if err != nil {
			return nil, "", false
		}
		clientID = login.ClientID
	}
	service, err = quickClient(d, settings, logins)
	if err != nil {
		return nil, "", false
	}
	return service, strings.Join([]string{settings.Profile, settings.BaseURL.String(), clientID, settings.Token}, "\n"), true
}

// quickClient makes a client that asks once, says nothing and waits for a short time.
func quickClient(d *deps.Deps, settings config.Settings, logins func() (credential.Store, error)) (*client.Client, error) {
	c, err := connect.Config(settings, d.Build.Version)
	if err != nil {
		return nil, err
	}
	c.Timeout, c.Retries, c.Secrets = completionTime, 0, &client.Secrets{}
	c.Secrets.Add(settings.Token, settings.ClientSecret)
	tokens, err := client.New(c)
	if err != nil {
		return nil, err
	}
	c.Token = &session.Source{Settings: settings, Logins: logins, Tokens: tokens, Now: d.Now, Learn: c.Secrets.Add}
	return client.New(c)
}

// nothing is a credential store without a login.
type nothing struct{ credential.Store }

// Get implements credential.Store.
func (nothing) Get(context.Context, credential.Key) (credential.Login, error) {
	return credential.Login{}, credential.ErrNotFound
}

// enumOf lists the values that the contract has for a member of an operation's query or body; none where it has none.
func enumOf(operationID, member string) []string {
	op := contract.Find(operationID)
	if op == nil {
		return nil
	}
	members := op.Query
	if op.Body != nil {
		members = slices.Concat(members, op.Body.Members)
	}
	for _, m := range members {
		if m.Name != member {
			continue
		}
		if m.Schema.Items != nil {
			return m.Schema.Items.Enum
		}
		return m.Schema.Enum
	}
	return nil
}
