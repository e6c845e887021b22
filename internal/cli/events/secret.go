package events

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/ui"
)

// signingSecret reads the secret of a file, or the one that is kept for the profile and its service like a login. It
// makes that one when it is first asked for.
func signingSecret(ctx context.Context, d *cmdutil.Deps, file string) (string, error) {
	if file != "" {
		text, err := d.Content(ctx, file, forward.MaxSecretFile)
		if err != nil {
			return "", err
		}
		secret, err := forward.ParseSecret(text)
		if err != nil {
			return "", cmdutil.Usage("--secret-file: %v", err).WithHint("payctl listen --print-secret >FILE   (makes one)")
		}
		d.Learn(secret)
		return secret, nil
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
	defer keystore.LockLogin(ctx, store, key)()
	kept, err := store.Get(ctx, key)
	if errors.Is(err, keystore.ErrNotFound) {
		kept = keystore.Login{ClientSecret: forward.NewSecret()}
		err = store.Set(ctx, key, kept)
	}
	d.Learn(kept.ClientSecret)
	return kept.ClientSecret, err
}

func printSecret(ctx context.Context, d *cmdutil.Deps, file string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	secret, err := signingSecret(ctx, d, file)
	if err != nil {
		return err
	}
	return d.PrintText(printer, "secret", secret, ui.Sanitize)
}

// NewWebhooks returns the command payctl webhooks.
func NewWebhooks(d *cmdutil.Deps) *cobra.Command {
	var secretFile, id, timestamp, signature string
	verify := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check the signature of an event that was received",
		Long: `Check that the event in a file, or with - on standard input, was signed with the secret in the last
five minutes, as Standard Webhooks has it: the body as it came, and the values of its three header
fields. The exit code is 15 if it was not.`,
		Example: `  payctl webhooks verify --secret-file secret --id "$WEBHOOK_ID" --timestamp "$WEBHOOK_TIMESTAMP" \
    --signature "$WEBHOOK_SIGNATURE" - <body`,
		Args: cmdutil.Args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			printer, err := d.Printer(cmd.Context())
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
			if err := forward.Verify(secret, id, timestamp, signature, body); err != nil {
				return &cmdutil.Error{
					Code: cmdutil.ExitCheckFailed, Kind: "wrong-signature", Title: "The event is not to be trusted.", Cause: err,
				}
			}
			return d.Done(printer, map[string]bool{"verified": true}, "The signature is right.")
		},
	}
	f := verify.Flags()
	f.StringVar(&secretFile, "secret-file", "", "the `FILE` with the secret whsec_…; without it, the one of payctl listen")
	f.StringVar(&id, "id", "", "the `VALUE` of webhook-id")
	f.StringVar(&timestamp, "timestamp", "", "the `VALUE` of webhook-timestamp")
	f.StringVar(&signature, "signature", "", "the `VALUE` of webhook-signature")
	return cmdutil.Group("webhooks", "Check events that were received", verify)
}
