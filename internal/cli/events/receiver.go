package events

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// A receiver is the flags of what events are handed on to.
type receiver struct {
	forwardTo, exec string
	headers         []string
	mostAttempts    int
	secretFile      string
	printSecret     bool

	url    *url.URL // of forwardTo
	target string   // for people
}

func (r *receiver) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.forwardTo, "forward-to", "", "POST each event to this `URL` until it is acknowledged by a 2xx")
	f.StringVar(&r.exec, "exec", "", "run this `COMMAND` for each event until it succeeds")
	f.StringArrayVarP(&r.headers, "header", "H", nil, "add a header field `NAME: VALUE` to each POST")
	f.IntVar(&r.mostAttempts, "max-attempts", 0, "end with exit code 1 after `N` attempts for an event (default: never)")
	f.StringVar(&r.secretFile, "secret-file", "", "sign with the secret whsec_… in this `FILE`, not with the one that is kept")
	f.BoolVar(&r.printSecret, "print-secret", false, "print the secret that receivers verify with, and end")
	cmd.MarkFlagsMutuallyExclusive("forward-to", "exec")
}

// check returns the mistakes in the flags.
func (r *receiver) check() (err error) {
	switch {
	case r.mostAttempts < 0:
		return cmdutil.Usage("--max-attempts must be 1 or more")
	case r.forwardTo == "" && (len(r.headers) > 0 || r.secretFile != ""):
		return cmdutil.Usage("--header and --secret-file need --forward-to")
	case r.forwardTo == "" && r.exec == "" && r.mostAttempts > 0:
		return cmdutil.Usage("--max-attempts needs --forward-to or --exec")
	case r.forwardTo == "":
		r.target = r.exec
		return nil
	}
	if r.url, err = forward.ParseURL(r.forwardTo); err != nil {
		return cmdutil.Usage("--forward-to %v", err)
	}
	r.target = r.url.Scheme + "://" + r.url.Host + r.url.Path // a query may be a secret
	return nil
}

// forwarder returns what hands events on, and one attempt at it; nil without a receiver.
func (r *receiver) forwarder(
	ctx context.Context, d *cmdutil.Deps,
) (f *forward.Forwarder, attempt func(context.Context, payments.Event) (int, error), err error) {
	switch {
	case r.exec != "":
		program, err := watchui.FindProgram(r.exec, nil)
		if err != nil {
			return nil, nil, err
		}
		attempt = func(ctx context.Context, e payments.Event) (int, error) {
			change := cmdutil.Change{
				Type: string(e.Type), SubjectID: e.SubjectID, From: e.From, To: cmdutil.Text(e.To), OccurredAt: e.OccurredAt,
				Reasons: e.Data.Reasons,
			}
			if err := program.Run(ctx, change, e.Document, d.Err); err != nil {
				return 0, fmt.Errorf("the program fails: %w", err)
			}
			return 0, nil
		}
	case r.forwardTo != "":
		resolved, err := d.Settings()
		if err != nil {
			return nil, nil, err
		}
		if r.url.Scheme == "http" && !resolved.AllowInsecureHTTP && !settings.IsLoopback(r.url) {
			return nil, nil, cmdutil.Usage("--forward-to sends events to another machine without encryption").
				WithHint("use https, or --allow-insecure-http")
		}
		header, err := cmdutil.ReadHeader(r.headers)
		if err != nil {
			return nil, nil, err
		}
		if header["User-Agent"] == nil {
			header["User-Agent"] = []string{"payctl/" + d.Build.Version}
		}
		secret, err := signingSecret(ctx, d, r.secretFile)
		if err != nil {
			return nil, nil, err
		}
		there, err := forward.NewReceiver(r.url, header, secret)
		if err != nil {
			return nil, nil, err
		}
		attempt = func(ctx context.Context, e payments.Event) (int, error) { return there.Post(ctx, e.ID, e.Document) }
	default:
		return nil, nil, nil
	}
	return &forward.Forwarder{
		MostAttempts: r.mostAttempts,
		Down:         func(err error) { d.Warnf("Not acknowledged, trying again: %v", err) },
		Up:           func() { d.Notef("Events are acknowledged again.") },
	}, attempt, nil
}

// notAcknowledged explains the error of an event that was not acknowledged, unless the tail was ended.
func notAcknowledged(ctx context.Context, e payments.Event, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitUnexpected, Kind: "not-acknowledged", Title: "An event was not acknowledged.",
		Detail: "Event " + e.ID + ": " + err.Error() + ". It was not skipped.", Cause: err,
	}
}
