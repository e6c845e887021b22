package auth

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/plaintext"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type loginOptions struct {
	clientID     string
	secretStdin  bool
	noSaveSecret bool
}

func newLogin(d *Deps) *cobra.Command {
	o := &loginOptions{}
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Log in with a client's id and secret",
		Long: `Exchange a client's id and secret for a token, and store both in the operating system's keyring: one
login for each profile and host. With the secret stored, commands renew the token by themselves.
With --no-save-secret only the token is stored. With --credential-store both are stored where that
says, and the profile remembers it for the commands that follow.

The command asks for the secret without showing it. It can also read it from standard input
(--secret-stdin) or from PAYCTL_CLIENT_SECRET. The secret is never an argument, since other users of
the machine can read arguments.`,
		Example: `  payctl auth login
  payctl auth login --client-id my-client --secret-stdin < secret.txt
  payctl auth login -p production --no-save-secret
  payctl auth login --credential-store file`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return login(cmd.Context(), d, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.clientID, "client-id", "",
		"the client's `ID` (default: PAYCTL_CLIENT_ID, then the profile's client_id, then a prompt)")
	f.BoolVar(&o.secretStdin, "secret-stdin", false,
		"read the client's secret from standard input, without the white space at its end")
	f.BoolVar(&o.noSaveSecret, "no-save-secret", false, "store only the token, not the secret")
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

func login(ctx context.Context, d *Deps, o *loginOptions) error {
	if d.Options.Curl {
		return showExchange(ctx, d)
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	if resolved.Token != "" {
		return cmdutil.Usage("%s is set, and commands use it instead of a login", settings.EnvToken).
			WithHint("unset " + settings.EnvToken + " first")
	}
	printer, err := d.Printer(ctx) // its errors come before a prompt or a call
	if err != nil {
		return err
	}
	store, err := d.Logins()
	if err != nil {
		return o.sameClient(err)
	}
	key := auth.Key(resolved)
	// This finds a store that cannot be used, and unlocks a locked one, before the secret is asked for or sent.
	_, err = store.Get(ctx, key)
	if err != nil && !errors.Is(err, keystore.ErrNotFound) && !errors.Is(err, keystore.ErrCorrupt) {
		return o.sameClient(err)
	}
	clientID, secret, err := askCredentials(ctx, d, o, resolved)
	if err != nil {
		return err
	}
	tokens, err := d.Tokens()
	if err != nil {
		return err
	}
	obtained, err := auth.Obtain(ctx, tokens, resolved.Origin, clientID, secret, d.Now())
	if payments.IsKind(err, payments.KindUnauthenticated) {
		next := "check that CLIENT is the client's id, and that the secret belongs to it"
		if secret == resolved.ClientSecret {
			next = "set " + settings.EnvSecret + " to the secret of CLIENT, or unset it"
		}
		return cmdutil.Hint(err, shell.Hint(next, shell.Values{"CLIENT": clientID}))
	}
	if err != nil {
		return err
	}
	if o.noSaveSecret {
		obtained.ClientSecret = ""
	}
	// A process that is renewing the login before finishes first, and does not replace this one.
	release := store.Lock(ctx)
	err = store.Set(ctx, key, obtained)
	release()
	if err != nil {
		return err
	}
	if store.Name() == keystore.KindFile {
		d.Warnf("Your login is stored in a file. Any program that runs as you can read it.")
	}
	result := loginResult{
		Profile: resolved.Profile, Origin: resolved.Origin, ClientID: clientID, Scope: obtained.Scope, Store: store.Name(),
	}
	if !obtained.ExpiresAt.IsZero() {
		result.ExpiresAt = &obtained.ExpiresAt
	}
	err = d.Done(printer, result, "Logged in to %s as %s (profile %s, stored in the %s).",
		resolved.Origin, clientID, resolved.Profile, storeName(store))
	if err == nil {
		rememberStore(d, resolved)
		keepBaseURL(d, resolved)
	}
	return err
}

// sameClient returns the error of a credential store with the client of this line in the login that it proposes.
func (o *loginOptions) sameClient(err error) error {
	failed, ok := errors.AsType[*keystore.Error](err)
	if !ok || o.clientID == "" {
		return err
	}
	const login = "payctl auth login"
	again := shell.Hint(login+" --client-id ID", shell.Values{"ID": o.clientID})
	return cmdutil.Hint(err, strings.Replace(failed.Next(), login, again, 1))
}

// rememberStore makes the profile name the store of --credential-store, if it names another one, and so the store in
// which the commands that follow look for the login. A store of the environment is not remembered: the environment names
// it for them too.
func rememberStore(d *Deps, resolved settings.Settings) {
	file, err := d.Config()
	if err != nil || !d.Options.Given("credential-store") { // without a configuration there would be no settings
		return
	}
	if kept, _ := file.Value(resolved.Profile, settings.KeyCredentialStore); kept != resolved.CredentialStore {
		if err := file.Set(resolved.Profile, settings.KeyCredentialStore, resolved.CredentialStore); err != nil {
			d.Warnf("The profile does not remember this store: %v. %s.", err,
				shell.Hint("Set "+settings.EnvStore+" to STORE, or give every command --credential-store STORE",
					shell.Values{"STORE": resolved.CredentialStore}))
			return
		}
		d.Notef("The profile %s remembers this store (in %s). To undo that: %s", resolved.Profile, file.Path(),
			shell.Hint("payctl profile set -- PROFILE credential_store ''", shell.Values{"PROFILE": resolved.Profile}))
	}
	if other := d.Getenv(settings.EnvStore); other != "" && other != resolved.CredentialStore {
		d.Warnf("%s is set to %s, which wins over the profile: unset it, or commands do not find this login.",
			settings.EnvStore, other)
	}
}

// keepBaseURL makes the service of --base-url that of the profile, if the profile has no base URL of its own: the
// commands that follow then find the login. Otherwise it names both services.
func keepBaseURL(d *Deps, resolved settings.Settings) {
	file, err := d.Config()
	if err != nil || d.Options.BaseURL == "" {
		return
	}
	here := resolved.BaseURL.String()
	without, err := file.Resolve(settings.Flags{settings.KeyProfile: resolved.Profile}, d.Getenv)
	if err == nil && without.BaseURL.String() == here {
		return
	}
	values := shell.Values{"PROFILE": resolved.Profile, "URL": here}
	entries, _ := file.ProfileEntries(resolved.Profile)
	named := slices.IndexFunc(entries, func(e settings.Entry) bool {
		return e.Key == settings.KeyBaseURL && !e.Source.IsBuiltIn()
	})
	if named >= 0 && entries[named].Value != here {
		d.Warnf("This login is for %s; the profile %s names another service, %s.",
			here, resolved.Profile, entries[named].Value)
		d.Hint(shell.Hint("Next: payctl profile set -- PROFILE base_url URL   (or give every command --base-url URL)", values))
	} else if named < 0 {
		if err := file.Set(resolved.Profile, settings.KeyBaseURL, here); err != nil {
			d.Warnf("The profile %s does not remember this service: %v. %s.", resolved.Profile, err,
				shell.Hint("Give every command --base-url URL", values))
			return
		}
		d.Notef("The profile %s calls %s from now on (in %s). To undo that: %s", resolved.Profile, here,
			file.Path(), shell.Hint("payctl profile set -- PROFILE base_url ''", values))
	}
	if other := d.Getenv(settings.EnvBaseURL); other != "" {
		d.Warnf("%s is set to %s, which wins over the profile.", settings.EnvBaseURL, other)
	}
}

func storeName(store keystore.Store) string {
	if store.Name() == keystore.KindFile {
		return "credential file"
	}
	return "keyring"
}

// askCredentials returns the client's id and secret: from flags, standard input, the environment or the profile, or
// else from prompts.
func askCredentials(
	ctx context.Context, d *Deps, o *loginOptions, resolved settings.Settings,
) (clientID, secret string, err error) {
	clientID, secret = resolved.ClientID, resolved.ClientSecret
	if o.clientID != "" && o.clientID != clientID {
		clientID, secret = o.clientID, "" // PAYCTL_CLIENT_SECRET is that of PAYCTL_CLIENT_ID
	}
	if clientID == "" {
		if clientID, err = d.Ask(ctx, "Client id", ""); err != nil {
			return "", "", promptError(d, err, "no client id", "pass --client-id ID, or set "+settings.EnvClientID)
		}
		if clientID == "" {
			return "", "", cmdutil.Usage("the client id is empty")
		}
	}
	switch {
	case o.secretStdin:
		secret, err = readSecret(ctx, d.In)
	case secret == "":
		secret, err = d.AskSecret(ctx, "Client secret")
		err = promptError(d, err, "no client secret", "pipe it into --secret-stdin, or set "+settings.EnvSecret)
	}
	if err == nil && secret == "" {
		err = cmdutil.Usage("the client secret is empty")
	}
	return clientID, secret, err
}

// promptError adds to an error of a prompt, if there is no terminal, what to give instead.
func promptError(d *Deps, err error, what, hint string) error {
	if errors.Is(err, ui.ErrNoTTY) {
		return d.NoTerminal(hint, "%s was given, and there is no terminal for a prompt", what)
	}
	return err
}

// secretSpace is what ends a secret on standard input without being part of it: `echo secret | payctl …` of cmd adds a
// blank to the end of the line.
const secretSpace = " \t\r\n"

// maxSecret is the most bytes of a secret: as many as PAYCTL_CLIENT_SECRET may have.
const maxSecret = 4096

func readSecret(ctx context.Context, r io.Reader) (string, error) {
	text := io.LimitReader(plaintext.NewReader(ui.Interruptible(ctx, r)), maxSecret+1)
	line, err := bufio.NewReader(text).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if len(line) > maxSecret {
		return "", cmdutil.Usage("the secret on standard input is longer than %d bytes", maxSecret)
	}
	return strings.TrimRight(line, secretSpace), nil
}
