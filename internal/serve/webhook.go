package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/events"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// clientField is the header field with the client of an event, escaped as in a URL.
	clientField = "Payctl-Client"
	// retryInterval is how long to wait after a failure to read the events of a client.
	retryInterval = time.Second
	// drainTime is how long drain waits for the receiver to acknowledge all events.
	drainTime, drainPause = 5 * time.Second, 5 * time.Millisecond
)

// webhooks post the events of all clients to the URL of --webhook, those of each client in order.
type webhooks struct {
	receiver *forward.Receiver
	as       *servicemap.Map // of the imitated service
	folder   string          // of the cursors; empty means that they are not kept
	log      *slog.Logger
	running  sync.WaitGroup

	mu       sync.Mutex
	backlogs map[string]*backlog // by client
}

// newWebhooks checks the flags; it returns nil without --webhook.
func (o *options) newWebhooks(ctx context.Context, d *cmdutil.Deps) (*webhooks, error) {
	if o.webhook == "" {
		if o.webhookSecretFile != "" {
			return nil, cmdutil.Usage("--webhook-secret-file needs --webhook")
		}
		return nil, nil //nolint:nilnil // nil means no webhook
	}
	receiver, err := forward.NewReceiver(o.webhook, "payctl/"+d.Build.Version)
	switch {
	case err != nil:
		return nil, cmdutil.Usage("--webhook %v", err)
	case o.database.URL != "":
		return nil, cmdutil.Usage("--webhook excludes --database, whose clients many servers share").
			WithHint(shell.Payctl("listen --forward-to URL").With("hands on the events of one client"))
	}
	if err := receiver.Trust(cmp.Or(d.Options.CACert, d.Getenv(settings.EnvCACert))); err != nil {
		return nil, err
	}
	if receiver.Secret = forward.NewSecret(); o.webhookSecretFile != "" {
		receiver.Secret, err = events.ReadSecret(ctx, d, "--webhook-secret-file", o.webhookSecretFile)
	}
	d.Secrets.Add(receiver.Secret)
	w := &webhooks{receiver: receiver, as: cmp.Or(o.As, &servicemap.Map{}), log: o.Log, backlogs: map[string]*backlog{}}
	if o.Data != "" {
		w.folder = filepath.Join(o.Data, "webhooks")
	}
	return w, err
}

// begin makes the service of a configuration post its events until stop is called.
func (w *webhooks) begin(ctx context.Context, config *refserver.Config) (stop func()) {
	if w == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	config.Entered = func(client string, events payments.Events) { w.entered(ctx, client, events) }
	config.Leaving = w.leaving
	return func() {
		cancel()
		w.running.Wait()
	}
}

// drain waits for the receiver, after the command has ended. The command may have started the receiver. It warns if the
// context or the time ends first.
func (w *webhooks) drain(ctx context.Context) {
	if w == nil {
		return
	}
	over := time.Now().Add(drainTime)
	for ; !w.isDrained(context.WithoutCancel(ctx)); _ = wait.Sleep(ctx, drainPause) {
		if ctx.Err() != nil || time.Now().After(over) {
			w.log.Warn("the webhook has not acknowledged all events before the end")
			return
		}
	}
}

func (w *webhooks) isDrained(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.backlogs {
		if _, found, err := b.next(ctx); err == nil && found {
			return false
		}
	}
	return true
}

// resume enters the worlds of the clients with a cursor. Some of their events may not have been acknowledged.
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

// entered posts the events of a client until the context ends. It stores the cursor before anything happens in the
// world.
func (w *webhooks) entered(ctx context.Context, client string, events payments.Events) {
	log, receiver := w.log.With(slog.String("client", client)), *w.receiver
	receiver.Header = receiver.Header.Clone()
	receiver.Header.Set(clientField, url.PathEscape(client))
	place, err := &forward.CursorFile{}, error(nil)
	if w.folder != "" {
		if place, err = forward.NewCursorFile(w.folder, client); err == nil {
			err = place.Read()
		}
		if err == nil { // an unreadable cursor must not be overwritten
			err = place.Move(place.Cursor, true)
		}
	}
	if err != nil {
		log.Error("the place of the webhook is not kept", slog.Any("error", err))
		place = &forward.CursorFile{}
	}
	forwarder := &forward.Forwarder{
		Attempt: func(ctx context.Context, e payments.Event) (status int, after time.Duration, err error) {
			body, err := payments.Encode(e)
			if err == nil {
				e.Document, err = w.as.AnswerEvent(body)
			}
			if err != nil {
				return 0, 0, err
			}
			return receiver.Post(ctx, e)
		},
		Down: func(err error) { log.Warn("the webhook does not acknowledge events", slog.Any("error", err)) },
		Up:   func() { log.Info("the webhook acknowledges events again") },
	}
	b := &backlog{events: events, after: place.Cursor, log: log}
	w.mu.Lock()
	w.backlogs[client] = b
	w.mu.Unlock()
	w.running.Go(func() {
		failure := ""
		for ctx.Err() == nil {
			event, found, err := b.next(ctx)
			switch {
			case err == nil && found:
				if _, err = forwarder.Hand(ctx, event); err == nil {
					b.acknowledged()
					err = place.Move(event.ID, true)
				}
			case err == nil:
				err = b.wait(ctx)
			}
			if err == nil || ctx.Err() != nil {
				failure = ""
				continue
			}
			if failure != err.Error() { // a lasting failure is logged once
				failure = err.Error()
				log.Error("cannot read the events for the webhook, or store its cursor", slog.Any("error", err))
			}
			_ = wait.Sleep(ctx, retryInterval) // the context ends the loop
		}
	})
}

// leaving reads the events of a client before a reset removes them.
func (w *webhooks) leaving(ctx context.Context, client string) {
	w.mu.Lock()
	b := w.backlogs[client]
	w.mu.Unlock()
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.read(ctx, math.MaxInt); err != nil {
		b.log.Warn("the webhook may not get all events before the reset", slog.Any("error", err))
	}
	b.left = true
}

// A backlog is the events of one client that were read and not acknowledged.
type backlog struct {
	events payments.Events
	log    *slog.Logger

	mu    sync.Mutex
	after string           // the cursor after the last event read
	queue []payments.Event // oldest first
	left  bool             // a reset replaced the world of the cursor, so the feed begins again
}

// next returns the first unacknowledged event.
func (b *backlog) next(ctx context.Context) (first payments.Event, found bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err = b.read(ctx, 1); err == nil && len(b.queue) > 0 {
		first, found = b.queue[0], true
	}
	return first, found, err
}

// acknowledged removes the first event.
func (b *backlog) acknowledged() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = b.queue[1:]
}

// wait returns when there may be another event to read.
func (b *backlog) wait(ctx context.Context) error {
	b.mu.Lock()
	after := b.after
	b.mu.Unlock()
	_, err := b.events.ListEvents(ctx, payments.EventFilter{After: after, Limit: 1, Wait: follow.HoldFor})
	if payments.IsProblem(err, payments.ProblemGone) {
		return nil
	}
	return err
}

// read adds events to the queue until it has as many as wanted, or all.
func (b *backlog) read(ctx context.Context, wanted int) error {
	for len(b.queue) < wanted {
		page, err := b.events.ListEvents(ctx, payments.EventFilter{After: b.after, Limit: payments.LargestPage})
		switch {
		case payments.IsProblem(err, payments.ProblemGone) && b.after != "":
			if !b.left {
				b.log.Warn("the webhook starts again: the sandbox was reset, or has too many unacknowledged events")
			}
			b.after, b.left = "", false
			continue
		case err != nil:
			return err
		}
		b.queue = append(b.queue, page.Data...)
		b.after = page.Cursor
		if len(page.Data) < payments.LargestPage {
			break
		}
	}
	return nil
}
