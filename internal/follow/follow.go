// Package follow follows the statuses of many subjects, such as identity checks or transfers, and reports each change
// once and in order. It uses the service's event feed, as a stream or else by long poll, and polls a service that has
// no feed.
//
// A watch ends in one of these ways:
//
//   - The goal is reached: Goal.Judge returns Reached for a status; tracker.isFinished is true once no subject is
//     waited for.
//   - A subject fails: Goal.Judge returns Failed for a status from which the goal is impossible, and
//     tracker.notFound does so for a deleted subject. The others are still followed, unless Engine.FailFast is set:
//     then tracker.record or tracker.notFound ends the watch.
//   - It times out, is cancelled, or its output is closed: the context of Engine.Run ends, and Run returns its
//     cause. The command sets these causes: watchui.Options.Run that of --timeout, the program's signals that of a
//     cancellation, and ui.Streams.WhileRead that of an output that is no longer read.
//   - The service refuses: caller.waitsFor decides which errors are waited out. Others end the watch, except those
//     that only tell that the service has no event feed: then it is polled.
package follow

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// An Engine follows many subjects at once and reports each change once and in order.
//
// With an event feed no change is missed: the engine takes the cursor of the feed before it reads the statuses, and
// reports from the feed what has happened since each was read. Without a feed it polls, and does not see a status that
// lasts shorter than the time between two polls.
type Engine struct {
	Service  payments.Events
	Subjects Subjects
	// IDs are the subjects to follow.
	IDs []string
	// All follows also every subject that Subjects.List has, and new ones as they appear.
	All bool
	// Goal is what each subject is followed to.
	Goal Goal
	// FailFast ends the watch with the first subject that fails.
	FailFast bool
	// Interval is the time between two polls of a service without a feed, or without long polls.
	Interval time.Duration
	// Parallel is the most requests at the same time; zero means 16, which reaches the default rate at usual latencies.
	Parallel int
	// Each is called with the first status of each subject and with every change, never concurrently. Its error ends the
	// watch.
	Each func(Change) error
	// Loaded is called once, when all subjects have been read that could be read at first, with All those of the whole
	// list; it is not called concurrently with Each. It may be nil, as the functions below.
	Loaded func()
	// Gone is called with a subject that has been deleted.
	Gone func(id string)
	// Trouble is called when the service stops answering, and Recovered when it answers again. The watch goes on
	// meanwhile.
	Trouble   func(error)
	Recovered func()
	// Note is called with what the user should know about the progress of the watch.
	Note func(text string)

	tracker *tracker
	caller  *caller
	loaded  bool // Loaded was called
	told    bool // that a subject cannot be read
}

// Run follows the subjects until none is waited for, the context ends, or the service refuses. Without a goal it runs
// until the context ends. The summary is valid with an error too.
func (e *Engine) Run(ctx context.Context) (Summary, error) {
	e.Parallel = cmp.Or(e.Parallel, 16)
	if e.Note == nil {
		e.Note = func(string) {}
	}
	e.caller = newCaller(e.Interval, e.Trouble, e.Recovered)
	e.tracker = newTracker(e)
	err := e.follow(ctx)
	wait.PassOnPanic(err)
	switch {
	case errors.Is(err, errStop):
		err = nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return e.Summary(), err
}

// Summary returns what is known at present. It may be called while Run follows the subjects, but not by Each.
func (e *Engine) Summary() Summary { return e.tracker.summary() }

// longAgo is the time after which an earlier loss of the feed counts no more.
const longAgo = 10 * time.Minute

// follow uses the feed where there is one, and polls else.
func (e *Engine) follow(ctx context.Context) error {
	for losses := 0; ; {
		cursor, hasFeed, err := e.latest(ctx)
		if err != nil {
			return err
		}
		if !hasFeed {
			e.Note("The service has no event feed and is polled: a status that lasts shorter than the time between " +
				"two polls is not seen.")
			return e.poll(ctx)
		}
		began := time.Now()
		if err := e.followFeed(ctx, cursor); !errors.Is(err, errFeedLost) {
			return err
		}
		if time.Since(began) > longAgo {
			losses = 0
		}
		if losses++; losses == 1 {
			e.Note("The event feed lost its place. The statuses are read again; changes in between are not seen.")
		}
		if err := wait.Sleep(ctx, e.caller.backoff.Pause(losses, 0)); err != nil {
			return err
		}
	}
}

// mostFeedFailures is how often a request for the feed may fail with 500 until the service counts as having no feed:
// some answer 500 to a path that they do not know.
const mostFeedFailures = 3

// latest returns the cursor at the end of the feed; hasFeed is false when there is none.
func (e *Engine) latest(ctx context.Context) (cursor string, hasFeed bool, err error) {
	filter := payments.EventFilter{After: payments.LatestEvent, Types: e.Subjects.Events, Limit: 1}
	failures := 0
	err = e.caller.call(ctx, func() error {
		page, err := e.Service.ListEvents(ctx, filter)
		cursor, hasFeed = page.Cursor, err == nil
		if isServerError(err) {
			failures++
		}
		if HasNoFeed(err) || failures == mostFeedFailures {
			return nil
		}
		return err
	})
	return cursor, hasFeed, err
}

// poll reads the statuses in rounds. A round begins Interval after the one before, or when that ends if it takes
// longer.
func (e *Engine) poll(ctx context.Context) error {
	for {
		next := time.Now().Add(spread(e.Interval))
		if _, err := e.read(ctx, e.All, e.tracker.unfinished()); err != nil {
			return err
		}
		if e.tracker.isFinished() {
			return errStop
		}
		if err := wait.Sleep(ctx, time.Until(next)); err != nil {
			return err
		}
	}
}

// errFeedLost means that the feed does not know the cursor any more, or is no longer there. errReadAgain interrupts the
// feed to read the subjects that could not be read before.
var (
	errFeedLost  = errors.New("follow: the event feed is lost")
	errReadAgain = errors.New("follow: read again")
)

// followFeed reads all statuses and then follows the feed from a cursor that was taken before. The error is errFeedLost
// if the caller has to begin anew.
func (e *Engine) followFeed(ctx context.Context, cursor string) error {
	unread, err := e.read(ctx, e.All, e.tracker.unfinished())
	for err == nil {
		if e.tracker.isFinished() {
			return errStop
		}
		following, cancel := ctx, context.CancelFunc(func() {})
		if len(unread) > 0 {
			following, cancel = context.WithTimeoutCause(ctx, spread(e.Interval), errReadAgain)
		}
		feed := Feed{
			Service: e.Service, Filter: payments.EventFilter{After: cursor, Types: e.Subjects.Events}, Interval: e.Interval,
			Each:   func(event payments.Event) (bool, error) { return false, e.handle(ctx, event) },
			caller: e.caller,
		}
		err = feed.Run(following)
		cancel()
		cursor = feed.Filter.After
		if !feed.ended && isFeedLost(err) {
			return errFeedLost
		}
		if errors.Is(err, errReadAgain) {
			unread, err = e.read(ctx, false, unread)
		}
	}
	return err
}

// handle records an event of the feed. The feed begins before the statuses were read, and may send an event late or
// twice: what has happened before the status that is known is left out.
func (e *Engine) handle(ctx context.Context, event payments.Event) error {
	after := e.Subjects.Of(event)
	known, followed := e.tracker.find(event.SubjectID)
	switch {
	case !followed:
		member, err := e.isMember(ctx, event)
		if err != nil || !member {
			return err
		}
	case event.From != nil && *event.From == known.status:
	case known.reported && (after.Status == known.status || !event.OccurredAt.After(known.since)):
		return nil
	case event.From != nil: // it could not be read, or the feed has a gap
		before := State{ID: event.SubjectID, Status: *event.From, Since: event.OccurredAt}
		if err := e.tracker.record(before); err != nil {
			return err
		}
	}
	if err := e.tracker.record(after); err != nil {
		return err
	}
	if e.tracker.isFinished() {
		return errStop
	}
	return nil
}

// isMember reports whether the subject of an event is one of those that All means.
func (e *Engine) isMember(ctx context.Context, event payments.Event) (member bool, err error) {
	if !e.All {
		return false, nil
	}
	err = e.caller.call(ctx, func() (err error) {
		member, err = e.Subjects.IsMember(ctx, event)
		return err
	})
	return member, err
}

// spread varies an interval by a fifth, so that many clients do not send their requests in step.
func spread(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // spreading load needs no secret randomness
}
