package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/cli/events"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// clientField is the header field with the client of an event, escaped as in a URL.
	clientField = "Payctl-Client"
	// feedInterval is how long to wait after the events of a client could not be read.
	feedInterval = time.Second
	// drainTime is how long drain waits for the events that the receiver has not acknowledged yet.
	drainTime, drainPause = 5 * time.Second, 5 * time.Millisecond
)

// webhooks hand the events of all clients on to the URL of --webhook, those of each client in order.
type webhooks struct {
	receiver *forward.Receiver
	folder   string // of the places; empty: they are not kept
	log      *slog.Logger
	running  sync.WaitGroup

	mu    sync.Mutex
	feeds []func() bool // of each client: whether all of its events were acknowledged
}

// newWebhooks checks the flags; it returns nil without --webhook.
func (o *options) newWebhooks(ctx context.Context, d *invocation.Deps) (*webhooks, error) {
	if o.webhook == "" {
		if o.webhookSecretFile != "" {
			return nil, exit.Usage("--webhook-secret-file needs --webhook")
		}
		return nil, nil //nolint:nilnil // there is nothing to hand on
	}
	receiver, err := forward.NewReceiver(o.webhook, "payctl/"+d.Build.Version)
	switch {
	case err != nil:
		return nil, exit.Usage("--webhook %v", err)
	case o.database.URL != "":
		return nil, exit.Usage("--webhook excludes --database, whose clients many servers share").
			WithHint(shell.Payctl("listen --forward-to URL").With("hands on the events of one client"))
	}
	if receiver.Secret = forward.NewSecret(); o.webhookSecretFile != "" {
		receiver.Secret, err = events.ReadSecret(ctx, d, "--webhook-secret-file", o.webhookSecretFile)
	}
	d.Learn(receiver.Secret)
	w := &webhooks{receiver: receiver, log: o.Log}
	if o.Data != "" {
		w.folder = filepath.Join(o.Data, "webhooks")
	}
	return w, err
}

// begin has a service of a configuration hand on its events. Stop ends that.
func (w *webhooks) begin(ctx context.Context, config *refserver.Config) (stop func()) {
	if w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	config.Entered = func(client string, events payments.Events) { w.entered(ctx, client, events) }
	return func() {
		cancel()
		w.running.Wait()
	}
}

// drain gives the receiver a moment for the last events when the command has ended. The command may have started it.
func (w *webhooks) drain(ctx context.Context) {
	if w == nil {
		return
	}
	for over := time.Now().Add(drainTime); ctx.Err() == nil && !w.isDrained(); _ = wait.Sleep(ctx, drainPause) {
		if time.Now().After(over) {
			w.log.Warn("the webhook has not acknowledged all events before the end")
			return
		}
	}
}

func (w *webhooks) isDrained() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !slices.ContainsFunc(w.feeds, func(isDone func() bool) bool { return !isDone() })
}

// resume enters the worlds of the clients that have a place, whose events may not all have been acknowledged.
func (w *webhooks) resume(ctx context.Context, worlds *sandbox.Worlds) (err error) {
	if w == nil || w.folder == "" {
		return nil
	}
	clients, err := forward.Clients(w.folder)
	for _, client := range clients {
		_, entering := worlds.Of(ctx, client)
		err = errors.Join(err, entering)
	}
	return err
}

// entered hands on the events of a client until the context ends. Before anything happens there, the client has a place.
func (w *webhooks) entered(ctx context.Context, client string, events payments.Events) {
	log, receiver := w.log.With(slog.String("client", client)), *w.receiver
	receiver.Header = receiver.Header.Clone()
	receiver.Header.Set(clientField, url.PathEscape(client))
	place, err := &forward.Place{}, error(nil)
	if w.folder != "" {
		if place, err = forward.NewPlace(w.folder, client); err == nil {
			err = place.Read()
		}
		if err == nil { // a place that cannot be read must not be overwritten
			err = place.Move(place.Cursor, true)
		}
	}
	if err != nil {
		log.Error("the place of the webhook is not kept", slog.Any("error", err))
		place = &forward.Place{}
	}
	forwarder := &forward.Forwarder{
		Attempt: receiver.Post,
		Down:    func(err error) { log.Warn("the webhook does not acknowledge events", slog.Any("error", err)) },
		Up:      func() { log.Info("the webhook acknowledges events again") },
	}
	feed := follow.Feed{Service: events, Interval: feedInterval}
	feed.Each = func(e payments.Event) (bool, error) {
		_, err := forwarder.Hand(ctx, e)
		return false, err
	}
	feed.Filter.After = place.Cursor
	var reached atomic.Value // the cursor behind what was acknowledged
	reached.Store(place.Cursor)
	feed.Moved = func(cursor string) error {
		reached.Store(cursor)
		return place.Move(cursor, true)
	}
	w.mu.Lock()
	w.feeds = append(w.feeds, func() bool {
		page, err := events.ListEvents(ctx, payments.EventFilter{After: reached.Load().(string), Limit: 1})
		return err != nil || len(page.Data) == 0
	})
	w.mu.Unlock()
	w.running.Go(func() {
		for ctx.Err() == nil {
			err := feed.Run(ctx)
			if payments.IsKind(err, payments.KindGone) {
				log.Warn("the webhook begins anew: the world was reset, or has too many events that were not acknowledged")
				feed.Filter.After = ""
			} else if ctx.Err() == nil {
				log.Error("the events for the webhook cannot be read", slog.Any("error", err))
			}
			_ = wait.Sleep(ctx, feedInterval) // the context ends the loop
		}
	})
}
