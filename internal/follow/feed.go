package follow

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// HoldFor is how long a long poll asks the service to wait for the next event.
const HoldFor = 30 * time.Second

// A Feed follows the event feed from a cursor, each event once and in order. It uses a stream if the service has one,
// else long polls.
type Feed struct {
	Service payments.Events
	// Filter selects the events. Filter.After is the cursor to begin at, and later the cursor after the last event.
	// Limit and Wait are ignored.
	Filter payments.EventFilter
	// Each is called with every event. Done ends Run.
	Each func(payments.Event) (done bool, err error)
	// Moved is called with a cursor after Each had all events before it. A caller that begins again there misses no
	// event. It may be nil.
	Moved func(cursor string) error
	// Interval is the time between two requests to a service that neither streams nor holds long polls.
	Interval time.Duration
	// Connected is called once, when the service has first answered. It may be nil.
	Connected func()
	// Trouble is as in Engine. It may be nil.
	Trouble func(error)

	caller   *caller
	noStream bool
	retry    time.Duration // the last pause that the stream asked for
	ended    bool          // by Each or Moved
	err      error         // theirs
}

// Run follows the feed until Each is done or fails, the context ends, or the service refuses. The error is a problem of
// type payments.ProblemGone if the service no longer knows the cursor.
func (f *Feed) Run(ctx context.Context) error {
	if f.caller == nil {
		f.caller = newCaller(f.Interval, f.Trouble)
		f.caller.isHeld = true
	}
	for {
		var pause time.Duration
		err := f.caller.call(ctx, func() (err error) {
			pause, err = f.read(ctx)
			return err
		})
		if f.ended {
			return f.err
		}
		if err == nil {
			err = wait.Sleep(ctx, pause)
		}
		if err != nil {
			return err
		}
	}
}

// read sends one request and reads its answer or stream to the end. Pause is the time before the next request.
func (f *Feed) read(ctx context.Context) (pause time.Duration, err error) {
	streamer, ok := f.Service.(payments.EventStreamer)
	if !ok || f.noStream || f.Filter.After == payments.LatestEvent { // not a real cursor
		return f.longPoll(ctx)
	}
	filter := f.Filter
	filter.Limit, filter.Wait = 0, 0
	silent := true
	err = streamer.StreamEvents(ctx, filter, func(m payments.EventMessage) error {
		silent = false
		f.answered()
		f.retry = cmp.Or(m.Retry, f.retry)
		return f.deliver(m.Event, m.Cursor)
	})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		f.noStream = true
		return 0, nil
	case silent: // a proxy that buffers streams may pass on long polls
		f.noStream = err == nil || payments.IsProblem(err, payments.ProblemUnusable)
	case isTemporary(err): // the stream has ended; it is a failure if the next one does not begin
		err = nil
	}
	return f.caller.backoff.Pause(1, min(f.retry, f.caller.backoff.Longest)), err
}

func (f *Feed) longPoll(ctx context.Context) (pause time.Duration, err error) {
	filter := f.Filter
	filter.Limit = payments.LargestPage
	if filter.After != payments.LatestEvent {
		filter.Wait = HoldFor
	}
	sent := time.Now()
	page, err := f.Service.ListEvents(ctx, filter)
	if err != nil {
		return 0, err
	}
	f.answered()
	for i := range page.Data {
		if err := f.deliver(&page.Data[i], page.Data[i].ID); err != nil {
			return 0, err
		}
	}
	if page.Cursor == filter.After || len(page.Data) == 0 && filter.Wait > 0 {
		pause = f.Interval - time.Since(sent)
	}
	return pause, f.deliver(nil, page.Cursor)
}

// answered records that the service answers.
func (f *Feed) answered() {
	f.caller.waitsFor(nil)
	if f.Connected != nil {
		f.Connected()
		f.Connected = nil
	}
}

// deliver passes on an event, unless nil, and the cursor after it. The error means that Each or Moved has ended the
// feed.
func (f *Feed) deliver(event *payments.Event, cursor string) error {
	done := false
	if event != nil {
		done, f.err = f.Each(*event)
	}
	if f.err == nil && cursor != "" && cursor != f.Filter.After {
		f.Filter.After = cursor
		if f.Moved != nil {
			f.err = f.Moved(cursor)
		}
	}
	if f.ended = done || f.err != nil; f.ended {
		return errStop
	}
	return nil
}

// Timeline returns the events about a subject, oldest first, from one page. Nearly every subject has fewer.
func Timeline(ctx context.Context, service payments.Events, subjectID string) []payments.Event {
	if subjectID == "" {
		return nil // it would select the events of all subjects
	}
	filter := payments.EventFilter{SubjectID: subjectID, Limit: payments.LargestPage}
	page, _ := service.ListEvents(ctx, filter)
	// A service without the filter also sends other events.
	return slices.DeleteFunc(page.Data, func(event payments.Event) bool { return !filter.Matches(event) })
}
