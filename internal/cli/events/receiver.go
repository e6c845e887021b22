package events

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// A receiver is the flags of what events are handed on to.
type receiver struct {
	forwardTo, exec string
	headers         []string
	maxAttempts     int
	secretFile      string
	printSecret     bool
}

func (r *receiver) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.forwardTo, "forward-to", "", "POST each event to this `URL` until it is acknowledged by a 2xx")
	f.StringVar(&r.exec, "exec", "", "run this `COMMAND` for each event until it succeeds")
	f.StringArrayVarP(&r.headers, "header", "H", nil, "add a header field `NAME: VALUE` to each POST")
	f.IntVar(&r.maxAttempts, "max-attempts", 0, "end with exit code 1 after `N` attempts for an event (default: never)")
	f.StringVar(&r.secretFile, "secret-file", "", "sign with the secret whsec_… in this `FILE`, not with the one that is kept")
	f.BoolVar(&r.printSecret, "print-secret", false, "print the secret that receivers verify with, and end")
	cmd.MarkFlagsMutuallyExclusive("forward-to", "exec")
}

// forwarder returns what hands events on, and the receiver's name for people. Nil means that there is no receiver.
func (r *receiver) forwarder(ctx context.Context, d *cmdutil.Deps) (f *forward.Forwarder, name string, err error) {
	f = &forward.Forwarder{
		MaxAttempts: r.maxAttempts,
		Down:        func(err error) { d.Warnf("Not acknowledged, trying again: %v", err) },
		Up:          func() { d.Notef("Events are acknowledged again.") },
	}
	switch {
	case r.forwardTo != "":
		name, err = r.post(ctx, d, f)
		return f, name, err
	case r.exec == "":
		return nil, "", nil
	}
	found, err := cmdutil.FindProgram(r.exec, nil)
	f.Attempt = func(ctx context.Context, e payments.Event) (status int, after time.Duration, err error) {
		change := cmdutil.ChangeLine{
			Type: string(e.Type), SubjectID: e.SubjectID, From: e.From, To: cmdutil.Text(e.To), OccurredAt: e.OccurredAt,
			Reasons: e.Data.Reasons,
		}
		if err = found.Run(ctx, change, e.Document, d.Err); err != nil {
			err = errors.New("the program fails: " + err.Error()) // its exit code is not that of payctl
		}
		return 0, 0, err
	}
	return f, r.exec, err
}

// post has the forwarder send events to the URL of --forward-to.
func (r *receiver) post(ctx context.Context, d *cmdutil.Deps, f *forward.Forwarder) (name string, err error) {
	there, err := forward.NewReceiver(r.forwardTo, "payctl/"+d.Build.Version)
	if err != nil {
		return "", cmdutil.Usage("--forward-to %v", err)
	}
	resolved, err := d.Settings()
	if err == nil {
		err = there.Trust(resolved.CACert)
	}
	if err != nil {
		return "", err
	}
	if there.URL.Scheme == "http" && !resolved.AllowInsecureHTTP && !settings.IsLoopback(there.URL) {
		return "", cmdutil.Usage("--forward-to sends events to another machine without encryption").
			WithNote("use https, or --allow-insecure-http")
	}
	header, err := cmdutil.ReadHeader(r.headers)
	if err != nil {
		return "", err
	}
	if err := there.AddHeader(header); err != nil {
		return "", cmdutil.Usage("--header %v", err)
	}
	there.Secret, err = signingSecret(ctx, d, r.secretFile)
	f.Attempt = there.Post
	return there.URL.Scheme + "://" + there.URL.Host + there.URL.Path, err // a query may be a secret
}

// ReadSecret reads the secret in the file of a flag.
func ReadSecret(ctx context.Context, d *cmdutil.Deps, flag, file string) (string, error) {
	if err := securefile.CheckSecret(file); err != nil {
		return "", cmdutil.Usage("%s cannot be used: %v", flag, err)
	}
	text, err := d.Content(ctx, file, 4<<10)
	if err != nil {
		return "", err
	}
	return parseSecret(d, flag, text)
}

// parseSecret reads the secret that stands at a place.
func parseSecret(d *cmdutil.Deps, place string, text []byte) (string, error) {
	secret, err := forward.ParseSecret(text)
	if err != nil {
		return "", cmdutil.Usage("%s: %v", place, err).
			WithHint(shell.Payctl("listen --print-secret").With("prints one for the file"))
	}
	d.Secrets.Add(secret)
	return secret, nil
}

// signingSecret returns the secret of a file, else that of the environment, else the one that is kept for the profile
// and its service like a login. It makes that one when it is first asked for.
func signingSecret(ctx context.Context, d *cmdutil.Deps, file string) (string, error) {
	if file != "" {
		return ReadSecret(ctx, d, "--secret-file", file)
	}
	if text := d.Getenv(settings.EnvWebhookSecret); text != "" {
		return parseSecret(d, settings.EnvWebhookSecret, []byte(text))
	}
	resolved, err := d.Settings()
	if err != nil {
		return "", err
	}
	store, err := d.Logins()
	if err != nil {
		return "", err
	}
	key := auth.Key(resolved)
	key.Profile += " webhooks" // which is not the name of a profile
	defer store.Lock(ctx)()
	kept, err := store.Get(ctx, key)
	if errors.Is(err, keystore.ErrNotFound) {
		kept = keystore.Login{ClientSecret: forward.NewSecret()}
		err = store.Set(ctx, key, kept)
	}
	d.Secrets.Add(kept.ClientSecret)
	return kept.ClientSecret, err
}

// NewWebhooks returns the command payctl webhooks.
func NewWebhooks(d *cmdutil.Deps) *cobra.Command {
	var secretFile string
	var headers []string
	verify := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check the signature of an event that was received",
		Long: `Check that the event in a file, or with - on standard input, was signed with the secret in the last
five minutes, as Standard Webhooks has it: the body as it came, with the header fields webhook-id,
webhook-timestamp and webhook-signature. The exit code is 15 if it was not.`,
		Example: `  payctl webhooks verify --secret-file secret -H "webhook-id: $ID" -H "webhook-timestamp: $TIMESTAMP" \
    -H "webhook-signature: $SIGNATURE" - <body`,
		RunE: func(cmd *cobra.Command, args []string) error {
			printer, err := d.Printer(cmd.Context())
			if err != nil {
				return err
			}
			header, err := cmdutil.ReadHeader(headers)
			if err != nil {
				return err
			}
			secret, err := signingSecret(cmd.Context(), d, secretFile)
			if err != nil {
				return err
			}
			const mostBody = 1 << 20 // as of an event in a stream
			body, err := d.Bytes(cmd.Context(), args[0], mostBody)
			if err != nil {
				return err
			}
			if err := forward.Verify(secret, header, body); err != nil {
				return &cmdutil.Error{
					Code: cmdutil.ExitCheckFailed, ProblemType: "wrong-signature", Title: "The event is not to be trusted.",
					Cause: err,
				}
			}
			return d.Done(printer, map[string]bool{"verified": true}, "The signature is right.")
		},
	}
	f := verify.Flags()
	f.StringVar(&secretFile, "secret-file", "", "the `FILE` with the secret whsec_…; without it, the one of payctl listen")
	f.StringArrayVarP(&headers, "header", "H", nil, "a header field `NAME: VALUE` of the request; may be repeated")
	return cmdutil.Group("webhooks", "Check events that were received", verify)
}
