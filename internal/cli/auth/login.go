package auth

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/term"
)

type loginOptions struct {
	clientID     string
	secretStdin  bool
	noSaveSecret bool
}

func newLogin(d *deps.Deps) *cobra.Command {
	o := &loginOptions{}
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Exchange a client's id and secret for a token and keep it",
		Long: `Exchange a client's id and secret for a token and keep both in the operating system's keyring, one item for each
profile and host. With the secret kept, long watches and scripts renew the token by themselves; --no-save-secret keeps
the token alone.

The secret is asked for without echo, or read from standard input with --secret-stdin, or taken from
PAYCTL_CLIENT_SECRET. It is never an argument, where other users of the machine could read it.`,
		Example: `  payctl auth login
  payctl auth login --client-id my-client --secret-stdin < secret.txt
  payctl auth login -p production --no-save-secret`,
		Args: deps.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return login(cmd.Context(), d, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.clientID, "client-id", "", "the client's `ID` (default: PAYCTL_CLIENT_ID, the profile's client_id, or asked for)")
	f.BoolVar(&o.secretStdin, "secret-stdin", false, "read the client's secret from standard input")
	f.BoolVar(&o.noSaveSecret, "no-save-secret", false, "keep the token only, not the secret")
	return cmd
}

// loginResult is what `auth login` prints for programs.
type loginResult struct {
	Profile   string     `json:"profile"`
	Origin    string     `json:"origin"`
	ClientID  string     `json:"clientId"`
	Scope     string     `json:"scope,omitempty"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	Store     string     `json:"store"`
}

func login(ctx context.Context, d *deps.Deps, o *loginOptions) error {
	if d.Options.Curl {
		return showExchange(ctx, d)
	}
	settings, err := d.Settings()
	if err != nil {
		return err
	}
	if settings.Token != "" {
		return &deps.UsageError{
			Reason: config.EnvToken + " is set, and every command would go on using it instead of the login",
			Hint:   "unset " + config.EnvToken + " first",
		}
	}
	printer, err := d.Printer(ctx) // before anything is asked or sent
	if err != nil {
		return err
	}
	store, err := d.Logins()
	if err != nil {
		return err
	}
	key := credential.Key{Profile: settings.Profile, Origin: settings.Origin}
	// A store that cannot be used is found out, and a locked one unlocked, before a secret is asked for or sent.
	if _, err := store.Get(ctx, key); err != nil && !errors.Is(err, credential.ErrNotFound) && !errors.Is(err, credential.ErrCorrupt) {
		return err
	}
	clientID, secret, err := askCredentials(ctx, d, o, settings)
	if err != nil {
		return err
	}
	tokens, err := d.Tokens()
	if err != nil {
		return err
	}
	obtained, err := d.Obtain(ctx, tokens, clientID, secret)
	if payments.IsKind(err, payments.KindUnauthenticated) {
		next := "see that " + clientID + " is the client's id, and that the secret is its own"
		if secret == settings.ClientSecret {
			next = config.EnvSecret + " is not the secret of " + clientID + ": set it right, or unset it"
		}
		return &deps.Hinted{Err: err, Next: next}
	}
	if err != nil {
		return err
	}
	if o.noSaveSecret {
		obtained.ClientSecret = ""
	}
	if err := store.Set(ctx, key, obtained); err != nil {
		return err
	}
	if store.Name() == credential.KindFile {
		d.Warnf("The login is kept in a file that whoever runs programs as you can read.")
	}
	result := loginResult{
		Profile: settings.Profile, Origin: settings.Origin, ClientID: clientID, Scope: obtained.Scope, Store: store.Name(),
	}
	if !obtained.ExpiresAt.IsZero() {
		result.ExpiresAt = &obtained.ExpiresAt
	}
	err = d.Done(printer, result, "Logged in to %s as %s (profile %s, kept in the %s).", settings.Origin, clientID, settings.Profile, storeName(store))
	if err == nil {
		tellWay(d, settings)
	}
	return err
}

// tellWay says how commands find a login at --base-url when the profile leads to another service, and one in the store of
// --credential-store when it names another.
func tellWay(d *deps.Deps, settings config.Settings) {
	file, err := d.Config()
	if err != nil {
		return
	}
	without, err := file.Resolve(config.Flags{Profile: &settings.Profile}, d.Getenv)
	if d.Options.CredentialStore != "" && (err != nil || without.CredentialStore != settings.CredentialStore) {
		d.Hint("Next: payctl profile set %s credential_store %[2]s, or every command needs --credential-store %[2]s.",
			settings.Profile, settings.CredentialStore)
	}
	if d.Options.BaseURL != "" && (err != nil || without.Origin != settings.Origin) {
		d.Hint("Next: payctl profile set %s base_url %s, or every command needs --base-url.", settings.Profile, safefile.Quote(settings.BaseURL.String()))
	}
}

func storeName(store credential.Store) string {
	if store.Name() == credential.KindFile {
		return "credential file"
	}
	return "keyring"
}

// askCredentials takes the id and the secret from where they are: flags, standard input, the environment, the profile,
// or the person at the terminal.
func askCredentials(ctx context.Context, d *deps.Deps, o *loginOptions, settings config.Settings) (clientID, secret string, err error) {
	clientID, secret = settings.ClientID, settings.ClientSecret
	if o.clientID != "" {
		clientID = o.clientID
		if o.clientID != settings.ClientID {
			secret = "" // PAYCTL_CLIENT_SECRET is that of PAYCTL_CLIENT_ID
		}
	}
	if clientID == "" {
		if clientID, err = d.Ask(ctx, "Client id", ""); err != nil {
			return "", "", unasked(err, "no client id", "pass --client-id ID, or set "+config.EnvClientID)
		}
		if clientID == "" {
			return "", "", deps.Usage("the client id is empty")
		}
	}
	switch {
	case o.secretStdin:
		secret, err = readSecret(ctx, d.In)
	case secret == "":
		secret, err = d.AskSecret(ctx, "Client secret")
		err = unasked(err, "no client secret", "pipe it into --secret-stdin, or set "+config.EnvSecret)
	}
	if err == nil && secret == "" {
		err = deps.Usage("the client secret is empty")
	}
	return clientID, secret, err
}

func unasked(err error, what, hint string) error {
	if errors.Is(err, term.ErrNoTTY) {
		return &deps.UsageError{Reason: what + " was given, and there is no terminal to ask at", Hint: hint}
	}
	return err
}

// maxSecret is the most bytes of a secret that are read.
const maxSecret = 4096

func readSecret(ctx context.Context, r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(term.Interruptible(ctx, r), maxSecret+1)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if len(line) > maxSecret {
		return "", deps.Usage("the secret on standard input is longer than %d bytes", maxSecret)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
