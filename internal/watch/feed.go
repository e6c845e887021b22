package watch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// longestRetry bounds how long a service can ask to wait before its stream is opened again.
const longestRetry = time.Minute

// A Feed follows the feed of events from a cursor, each event once and in order, over a stream where the service has one
// and with held answers where it does not.
type Feed struct {
	Service payments.Events
	// Filter says which events, and after which cursor; its Limit and Wait do not count.
	Filter payments.EventFilter
	// Each is called with every event; done ends the watch.
	Each func(payments.Event) (done bool, err error)
	// Moved is called with the cursor whenever all before it has been through Each: who begins there again misses nothing.
	// Nil is not called.
	Moved func(cursor string) error
	// Interval is the time between two questions to a service that neither streams nor holds its answers, and the longest
	// time between two attempts while it fails, unless it asks for more.
	Interval time.Duration
	// Trouble and Recovered are as in Engine.
	Trouble   func(error)
	Recovered func()

	condition *condition
	listed    bool      // the service has no stream
	streamed  bool      // it has one
	attempts  int       // in a row that brought nothing
	broken    int       // streams in a row that ended before they brought anything
	listUntil time.Time // no stream is opened before
	recent    *recent
	retry     time.Duration // which the service asked for last
	patience  time.Duration // the longest that is obeyed; zero means longestRetry
}

// errDone ends a watch from within.
var errDone = errors.New("watch: done")

// ownError is an error of a callback, which is not one of the service.
type ownError struct{ error }

// Run follows the feed until Each is done, the context ends or the service refuses. The error is a refusal of kind
// payments.KindGone when the cursor is no longer one of the feed.
func (f *Feed) Run(ctx context.Context) error {
	if f.condition == nil {
		f.condition = &condition{trouble: f.Trouble, recovered: f.Recovered}
	}
	f.recent = cmp.Or(f.recent, &recent{})
	for {
		again, err := f.turn(ctx)
		own, isOwn := errors.AsType[*ownError](err)
		switch {
		case errors.Is(err, errDone):
			return nil
		case isOwn:
			return own.error
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			f.condition.is(err)
			if !f.condition.passing(err) {
				return err
			}
		}
		if again {
			continue
		}
		if err := wait.Sleep(ctx, f.pause(err)); err != nil {
			return err
		}
	}
}

// firstPause is how long a feed that broke off is left alone at first.
const firstPause = 500 * time.Millisecond

// pause is how long to wait before the feed is asked for again. Where it broke off that is short at first, so that little
// is told late, and longer the longer it lasts.
func (f *Feed) pause(err error) time.Duration {
	pause := f.Interval
	if err != nil || f.streamed {
		pause = min(pause, firstPause<<min(f.attempts, 16))
		f.attempts++
	}
	return jitter(max(pause, min(f.retry, cmp.Or(f.patience, longestRetry)), payments.RetryAfter(err)))
}

// A stream that ends again and again before it brings anything, such as one behind a proxy that keeps back what has
// no end, is given up for some time: answers come through where streams do not.
const (
	mostBroken = 2
	listAwhile = 10 * time.Minute
)

// alive notes that the feed answers.
func (f *Feed) alive() {
	f.condition.is(nil)
	f.attempts = 0
}

// turn reads the feed once, to the end of an answer or of a stream; again says to go on without pause.
func (f *Feed) turn(ctx context.Context) (again bool, err error) {
	streamer, ok := f.Service.(payments.EventStreamer)
	if !ok || f.listed || f.Filter.After == payments.LatestEvent || time.Now().Before(f.listUntil) { // "latest" has to be a place before it can be lost
		return f.list(ctx)
	}
	filter := f.Filter
	filter.Limit, filter.Wait = 0, 0
	f.streamed = true
	brought := false
	err = streamer.StreamEvents(ctx, filter, func(m payments.EventMessage) error {
		f.alive()
		brought = true
		if m.Retry > 0 {
			f.retry = m.Retry
		}
		return f.take(m.Event, m.Cursor, m.Event != nil && f.recent.again(*m.Event))
	})
	if errors.Is(err, errors.ErrUnsupported) {
		f.listed, f.streamed = true, false
		return true, nil
	}
	switch {
	case brought || err != nil && !payments.IsKind(err, payments.KindUnusable):
		f.broken = 0
	case f.broken+1 < mostBroken:
		f.broken++
	default:
		f.broken, f.streamed, f.listUntil = 0, false, time.Now().Add(listAwhile)
	}
	return false, err
}

func (f *Feed) list(ctx context.Context) (again bool, err error) {
	filter := f.Filter
	filter.Limit = payments.LargestPage
	if filter.After != payments.LatestEvent {
		filter.Wait = HoldFor
	}
	asked := time.Now()
	page, err := f.Service.ListEvents(ctx, filter)
	if err != nil {
		return false, err
	}
	f.alive()
	fresh := false
	for i := range page.Data {
		known := f.recent.again(page.Data[i])
		fresh = fresh || !known
		if err := f.take(&page.Data[i], page.Data[i].ID, known); err != nil {
			return false, err
		}
	}
	again = filter.Wait == 0 || fresh || time.Since(asked) >= heldAtLeast
	return again, f.take(nil, page.Cursor, false)
}

// take hands on an event, if there is one that is not known yet, and moves behind it.
func (f *Feed) take(event *payments.Event, cursor string, known bool) error {
	done := false
	if event != nil && !known {
		var err error
		if done, err = f.Each(*event); err != nil {
			return &ownError{err}
		}
	}
	if cursor != "" && cursor != f.Filter.After {
		f.Filter.After = cursor
		if f.Moved != nil {
			if err := f.Moved(cursor); err != nil {
				return &ownError{err}
			}
		}
	}
	if done {
		return errDone
	}
	return nil
}
