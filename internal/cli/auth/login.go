package auth

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

type loginOptions struct {
	clientID    string
	secretStdin bool
}

func newLogin(d *cmdutil.Deps, c Credentials) *cobra.Command {
	o := &loginOptions{}
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Log in with a client's id and secret",
		Long: `Exchange a client's id and secret for a token, and store both in the operating system's keyring: one
login for each profile and host. With the secret stored, commands renew the token by themselves.
The profile remembers --credential-store and --base-url for the commands that follow.

The command asks for the secret without showing it. It can also read it from standard input
(--secret-stdin) or from PAYCTL_CLIENT_SECRET. The secret is never an argument, since other users of
the machine can read arguments.`,
		Example: `  payctl auth login
  payctl auth login --client-id my-client --secret-stdin < secret.txt
  payctl profile set production base_url https://payments.example && payctl auth login -p production
  payctl auth login --credential-store file`,
		RunE: func(cmd *cobra.Command, _ []string) error { return login(cmd.Context(), d, c, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.clientID, "client-id", "",
		"the client's `ID` (default: PAYCTL_CLIENT_ID, then the profile's client_id, then a prompt)")
	f.BoolVar(&o.secretStdin, "secret-stdin", false,
		"read the client's secret from standard input, without the white space at its end")
	return cmd
}

// loginResult is what `auth login` prints for programs.
type loginResult struct {
	Profile   string    `json:"profile"`
	Origin    string    `json:"origin"`
	ClientID  string    `json:"clientId"`
	Scope     string    `json:"scope,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Store     string    `json:"store"`
}

func login(ctx context.Context, d *cmdutil.Deps, c Credentials, o *loginOptions) error {
	if d.Options.Curl {
		return c.showExchange(ctx)
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	if resolved.Token != "" {
		return cmdutil.Usage("%s is set, and commands use it instead of a login", settings.EnvToken).
			WithHint(shell.Unset(settings.EnvToken))
	}
	printer, err := d.Printer(ctx) // its errors come before a prompt or a call
	if err != nil {
		return err
	}
	store, err := d.Logins()
	if err != nil {
		return err
	}
	key := auth.Key(resolved)
	// This finds a store that cannot be used, and unlocks a locked one, before the secret is asked for or sent.
	_, err = store.Get(ctx, key)
	if err != nil && !errors.Is(err, keystore.ErrNotFound) && !errors.Is(err, keystore.ErrCorrupt) {
		return err
	}
	clientID, secret, err := askCredentials(ctx, d, o, resolved)
	if err != nil {
		return err
	}
	session, err := c.Session()
	if err != nil {
		return err
	}
	obtained, err := auth.Obtain(ctx, session.Tokens, resolved.Origin, clientID, secret, d.Now())
	if payments.IsProblem(err, payments.ProblemUnauthenticated) {
		next := "check that %s is the client's id, and that the secret belongs to it"
		if secret == resolved.ClientSecret {
			next = "set " + settings.EnvSecret + " to the secret of %s, or unset it"
		}
		return cmdutil.Hint(err, shell.Note(next, clientID))
	}
	if err != nil {
		return err
	}
	// A process that is renewing the login before finishes first, and does not replace this one.
	release := store.Lock(ctx)
	err = store.Set(ctx, key, obtained)
	release()
	if err != nil {
		return err
	}
	place := "keyring"
	if store.Name() == keystore.FileStore {
		place = "credential file"
		d.Warnf("Your login is stored in a file. Any program that runs as you can read it.")
	}
	result := loginResult{
		Profile: resolved.Profile, Origin: resolved.Origin, ClientID: clientID, Scope: obtained.Scope, Store: store.Name(),
		ExpiresAt: obtained.ExpiresAt,
	}
	err = d.Done(printer, result, "Logged in to %s as %s (profile %s, stored in the %s).",
		resolved.Origin, clientID, resolved.Profile, place)
	if err == nil {
		remember(d, resolved.Profile, "credential-store", settings.KeyCredentialStore, resolved.CredentialStore)
		remember(d, resolved.Profile, "base-url", settings.KeyBaseURL, resolved.BaseURL.String())
	}
	return err
}

// remember makes the profile name the value of a flag of this line, for the commands that follow to find the login. A
// service that the profile names already is not replaced.
func remember(d *cmdutil.Deps, profile, flag, key, value string) {
	file, err := d.Config()
	if err != nil || !d.Options.Given(flag) { // without a configuration there would be no settings
		return
	}
	setKey := func(value string) shell.Hint { return shell.Payctl("profile set --", profile, key, value) }
	giveFlag := shell.Note("ive every command %s %s", "--"+flag, value).Note
	own := ""
	entries, _ := file.ProfileEntries(profile)
	for _, e := range entries {
		if e.Key == key && !e.Source.IsBuiltIn() {
			own = e.Value
		}
	}
	switch known, _ := file.Value(profile, key); {
	case known == value:
	case key == settings.KeyBaseURL && own != "":
		d.Warnf("This login is for %s; the profile %s names another service, %s.", value, profile, own)
		d.Hint(setKey(value).With("or g" + giveFlag))
	default:
		if err := file.Set(profile, key, value); err != nil {
			d.Warnf("The profile does not remember this: %v. %s.", err, "G"+giveFlag)
			return
		}
		d.Notef("The profile %s has %s %s from now on (in %s). To undo that: %s", profile, key, value, file.Path(),
			setKey(""))
	}
	if other := d.Getenv(settings.Variable(key)); other != "" && other != value {
		d.Warnf("%s is set to %s, which wins over the profile: unset it, or commands do not find this login.",
			settings.Variable(key), other)
	}
}

// showExchange shows the call that exchanges a client's id and secret for a token.
func (c Credentials) showExchange(ctx context.Context) error {
	return c.showCall(func(tokens payments.Tokens) error {
		_, err := tokens.CreateAccessToken(ctx, placeholder, placeholder, payments.AccessTokenRequest{})
		return err
	})
}

// askCredentials returns the client's id and secret: from flags, standard input, the environment or the profile, or
// else from prompts.
func askCredentials(
	ctx context.Context, d *cmdutil.Deps, o *loginOptions, resolved settings.Settings,
) (clientID, secret string, err error) {
	clientID, secret = resolved.ClientID, resolved.ClientSecret
	if clientID != "" && o.clientID != "" && o.clientID != clientID {
		secret = "" // PAYCTL_CLIENT_SECRET is that of PAYCTL_CLIENT_ID
	}
	clientID = cmp.Or(o.clientID, clientID)
	if clientID == "" {
		if clientID, err = d.Ask(ctx, "Client id:"); err != nil {
			return "", "", promptError(err, "no client id", "pass --client-id ID, or set "+settings.EnvClientID)
		}
		if clientID == "" {
			return "", "", cmdutil.Usage("the client id is empty")
		}
	}
	switch {
	case o.secretStdin:
		const most = 4096 // bytes, as of PAYCTL_CLIENT_SECRET
		var text []byte
		text, err = d.Content(ctx, "-", most)
		secret = strings.TrimRight(string(text), " \t\r\n") // `echo secret | payctl …` of cmd adds a blank
	case secret == "":
		secret, err = d.AskSecret(ctx, "Client secret")
		err = promptError(err, "no client secret", "pipe it into --secret-stdin, or set "+settings.EnvSecret)
	}
	if err == nil && secret == "" {
		err = cmdutil.Usage("the client secret is empty")
	}
	return clientID, secret, err
}

// promptError adds to an error of a prompt, if there is no terminal, what to give instead.
func promptError(err error, what, hint string) error {
	if errors.Is(err, ui.ErrNoTTY) {
		return cmdutil.Usage("%s was given, and there is no terminal for a prompt", what).WithNote(hint)
	}
	return err
}
