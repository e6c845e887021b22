package follow

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

const (
	// HoldFor is how long a long poll asks the service to wait for the next event.
	HoldFor = 30 * time.Second
	// heldAtLeast is the least time of a long poll that the service held; it answers others at once.
	heldAtLeast = time.Second
	// mostSilentStreams is how many streams in a row may end before they bring anything. A proxy that buffers streams lets
	// long polls through, so these are used from then on.
	mostSilentStreams = 2
)

// A Feed follows the event feed from a cursor, each event once and in order: as a stream if the service has one, else
// by long poll.
type Feed struct {
	Service payments.Events
	// Filter selects the events, and After is the cursor to begin at, and later that after the last event. Limit and Wait
	// are ignored.
	Filter payments.EventFilter
	// Each is called with every event; done ends Run.
	Each func(payments.Event) (done bool, err error)
	// Moved is called with the cursor when all events before it have been through Each; a caller that begins again at this
	// cursor misses none. It may be nil.
	Moved func(cursor string) error
	// Interval is the time between two requests to a service that neither streams nor holds long polls.
	Interval time.Duration
	// Connected is called once, when the service has first answered and Filter.After is a cursor to go on from. It may be
	// nil.
	Connected func()
	// Trouble and Recovered are as in Engine.
	Trouble   func(error)
	Recovered func()

	caller        *caller
	noStream      bool
	streamed      bool          // the last request opened a stream
	failures      int           // in a row that brought nothing
	silentStreams int           // in a row
	retry         time.Duration // that the stream asked for last
	ended         bool          // by Each or Moved
	err           error         // theirs
}

// Run follows the feed until Each is done or fails, the context ends, or the service refuses. The error is a problem
// of kind payments.KindGone when the service does not know the cursor any more.
func (f *Feed) Run(ctx context.Context) error {
	if f.caller == nil {
		f.caller = newCaller(f.Interval, f.Trouble, f.Recovered)
	}
	for {
		again, err := f.read(ctx)
		switch {
		case f.ended:
			return f.err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !f.caller.waitsFor(err):
			return err
		case again:
			continue
		}
		if err := wait.Sleep(ctx, f.pause(err)); err != nil {
			return err
		}
	}
}

// pause returns how long to wait before the next request.
func (f *Feed) pause(err error) time.Duration {
	if err == nil && !f.streamed {
		return f.Interval
	}
	f.failures++
	asked := max(min(f.retry, f.caller.backoff.Longest), payments.RetryAfter(err))
	return f.caller.backoff.Pause(f.failures, asked)
}

// read sends one request and reads its answer or stream to the end. again is true if the next request needs no pause.
func (f *Feed) read(ctx context.Context) (again bool, err error) {
	streamer, ok := f.Service.(payments.EventStreamer)
	f.streamed = ok && !f.noStream && f.Filter.After != payments.LatestEvent // "latest" is not a cursor to go on from
	if !f.streamed {
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
		return true, nil
	case silent && (err == nil || payments.IsKind(err, payments.KindUnusable)):
		f.silentStreams++
		f.noStream = f.silentStreams >= mostSilentStreams
	default:
		f.silentStreams = 0
	}
	return false, err
}

func (f *Feed) longPoll(ctx context.Context) (again bool, err error) {
	filter := f.Filter
	filter.Limit = payments.LargestPage
	if filter.After != payments.LatestEvent {
		filter.Wait = HoldFor
	}
	sent := time.Now()
	page, err := f.Service.ListEvents(ctx, filter)
	if err != nil {
		return false, err
	}
	f.answered()
	for i := range page.Data {
		if err := f.deliver(&page.Data[i], page.Data[i].ID); err != nil {
			return false, err
		}
	}
	moved := page.Cursor != filter.After && (len(page.Data) > 0 || filter.Wait == 0)
	again = moved || time.Since(sent) >= heldAtLeast
	return again, f.deliver(nil, page.Cursor)
}

// answered records that the service answers.
func (f *Feed) answered() {
	f.caller.waitsFor(nil)
	f.failures = 0
}

// deliver passes on an event, if there is one, and the cursor after it. The error stops reading after Each or Moved has
// ended the feed.
func (f *Feed) deliver(event *payments.Event, cursor string) error {
	f.connected()
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
	f.connected()
	if f.ended = done || f.err != nil; f.ended {
		return errStop
	}
	return nil
}

func (f *Feed) connected() {
	if f.Connected != nil && f.Filter.After != payments.LatestEvent {
		f.Connected()
		f.Connected = nil
	}
}
