package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// clientField is the header field with the client of an event, escaped as in a URL.
	clientField = "Payctl-Client"
	// envWebhookSecret is the variable in which the command finds the secret of --webhook.
	envWebhookSecret = "PAYCTL_WEBHOOK_SECRET"
	// beginning is the place of a client of which nothing was acknowledged yet.
	beginning = "beginning"
	// feedInterval is how long to wait after the events of a client could not be read.
	feedInterval = time.Second
)

// webhooks hand the events of all clients on to the URL of --webhook, those of each client in order.
type webhooks struct {
	receiver *forward.Receiver
	secret   string
	folder   string // of the places; empty: they are not kept
	log      *slog.Logger
	running  sync.WaitGroup
}

// newWebhooks checks the flags; it returns nil without --webhook.
func (o *options) newWebhooks(ctx context.Context, d *cmdutil.Deps) (*webhooks, error) {
	if o.webhook == "" {
		if o.webhookSecretFile != "" || o.webhookAnyHost {
			return nil, cmdutil.Usage("--webhook-secret-file and --webhook-any-host need --webhook")
		}
		return nil, nil //nolint:nilnil // there is nothing to hand on
	}
	target, err := forward.ParseURL(o.webhook)
	switch {
	case err != nil:
		return nil, cmdutil.Usage("--webhook %v", err)
	case !o.webhookAnyHost && !settings.IsLoopback(target):
		return nil, cmdutil.Usage("--webhook leads to another machine").WithHint("add --webhook-any-host if that is meant")
	case o.database.URL != "":
		return nil, cmdutil.Usage("--webhook excludes --database, whose clients many servers share").
			WithHint("payctl listen --forward-to URL   (hands on the events of one client)")
	}
	w := &webhooks{secret: forward.NewSecret(), log: o.Log}
	if o.webhookSecretFile != "" {
		content, err := d.Content(ctx, o.webhookSecretFile, forward.MaxSecretFile)
		if err == nil {
			w.secret, err = forward.ParseSecret(content)
		}
		if err != nil {
			return nil, cmdutil.Usage("--webhook-secret-file: %v", err)
		}
	}
	if o.Data != "" {
		w.folder = filepath.Join(o.Data, "webhooks")
	}
	d.Learn(w.secret)
	w.receiver, err = forward.NewReceiver(target, http.Header{"User-Agent": {"payctl/" + d.Build.Version}}, w.secret)
	return w, err
}

// begin has a service of a configuration hand on its events. Stop ends that and waits for the end.
func (w *webhooks) begin(ctx context.Context, config *refserver.Config) (stop func()) {
	if w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	config.Entered = func(client string, events payments.Events) {
		place := w.open(ctx, client)
		w.running.Go(func() { w.follow(ctx, client, events, place) })
	}
	return func() {
		cancel()
		w.running.Wait()
	}
}

// resume enters the worlds of the clients that have a place, whose events may not all have been acknowledged.
func (w *webhooks) resume(ctx context.Context, worlds *sandbox.Worlds) error {
	if w == nil || w.folder == "" {
		return nil
	}
	clients, err := forward.Clients(w.folder)
	for _, client := range clients {
		if _, entering := worlds.Of(ctx, client); entering != nil {
			err = errors.Join(err, entering)
		}
	}
	return err
}

// open opens the place of a client, and keeps it before anything happens there; nil where it is not kept.
func (w *webhooks) open(ctx context.Context, client string) *forward.Place {
	if w.folder == "" {
		return nil
	}
	place, err := forward.OpenPlace(ctx, w.folder, forward.Owner{Client: client})
	if err == nil && place.Cursor() == "" {
		err = place.Move(beginning, true)
	}
	if err != nil {
		w.log.Error("the place of the webhook is not kept", slog.String("client", client), slog.Any("error", err))
		return nil
	}
	return place
}

// follow hands on the events of a client until the context ends.
func (w *webhooks) follow(ctx context.Context, client string, events payments.Events, place *forward.Place) {
	log := w.log.With(slog.String("client", client))
	receiver := w.receiver.With(clientField, url.PathEscape(client))
	forwarder := &forward.Forwarder{
		Down: func(err error) { log.Warn("the webhook does not acknowledge events", slog.Any("error", err)) },
		Up:   func() { log.Info("the webhook acknowledges events again") },
	}
	feed := follow.Feed{Service: events, Interval: feedInterval}
	feed.Each = func(e payments.Event) (bool, error) {
		body, err := payments.Encode(e)
		if err == nil {
			_, err = forwarder.Hand(ctx, func(ctx context.Context) (int, error) { return receiver.Post(ctx, e.ID, body) })
		}
		return false, err
	}
	if place != nil {
		defer place.Close()
		feed.Moved = func(cursor string) error { return place.Move(cursor, true) }
		if at := place.Cursor(); at != beginning {
			feed.Filter.After = at
		}
	}
	for {
		err := feed.Run(ctx)
		if payments.IsKind(err, payments.KindGone) {
			log.Warn("the webhook begins anew: the world was reset, or has too many events that were not acknowledged")
			feed.Filter.After = ""
		} else if ctx.Err() == nil {
			log.Error("the events for the webhook cannot be read", slog.Any("error", err))
		}
		if wait.Sleep(ctx, feedInterval) != nil {
			return
		}
	}
}
