// Package follow follows the statuses of many subjects, such as identity checks or transfers, and reports each change
// once and in order. It uses the service's event feed, as a stream or else by long poll, and polls a service that has
// no feed.
//
// A watch ends in one of these ways:
//
//   - The goal is reached: Goal.Judge returns Reached for a status; Engine.isFinished is true once no subject is
//     waited for.
//   - A subject fails: Goal.Judge returns Failed for a status from which the goal is impossible. The others are still
//     followed.
//   - It times out, is cancelled, or its output is closed: the context of Engine.Run ends, and Run returns its
//     cause. The command sets these causes: watchui.Options.Run that of --timeout, the program's signals that of a
//     cancellation, and ui.Streams.WhileRead that of an output that is no longer read.
//   - The service refuses: caller.waitsFor decides which errors are waited out. Others end the watch, except those
//     that only tell that the service has no event feed: then it is polled.
package follow

import (
	"context"
	"errors"
	"sync"
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
	// TakesPartial reports the partial states of the list as they are. Else they are read first.
	TakesPartial bool
	// Interval is the time between two polls of a service without a feed, or without long polls.
	Interval time.Duration
	// Each is called with the first status of each subject and with every change, never concurrently. Its error ends the
	// watch.
	Each func(Change) error
	// Loaded is called once, when all subjects have been read that could be read at first, with All those of the whole
	// list; it is not called concurrently with Each. It may be nil.
	Loaded func()
	// Trouble is called when the service stops answering, and with nil when it answers again. The watch goes on meanwhile.
	Trouble func(error)
	// Note is called with what the user should know about the progress of the watch.
	Note func(text string)

	caller *caller

	mu      sync.Mutex // of what follows
	byID    map[string]*subject
	order   []*subject
	waiting int // subjects that are not finished
}

// Run follows the subjects until none is waited for, the context ends, or the service refuses. Without a goal it runs
// until the context ends. The summary is valid with an error too.
func (e *Engine) Run(ctx context.Context) error {
	e.caller = newCaller(e.Interval, e.Trouble)
	e.byID = map[string]*subject{}
	for _, id := range e.IDs {
		e.add(id)
	}
	err := e.follow(ctx)
	switch {
	case errors.Is(err, errStop):
		err = nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return err
}

// errStop ends a watch that has nothing left to wait for, or a feed that Each has ended. errFeedLost means that the
// feed does not know the cursor any more, or is no longer there.
var (
	errStop     = errors.New("follow: finished")
	errFeedLost = errors.New("follow: the event feed is lost")
)

// follow reads all statuses, again and again: at each interval from a service without a feed, and after the feed has
// lost its place. In between it follows the feed from a cursor that was taken before.
func (e *Engine) follow(ctx context.Context) (err error) {
	for hasFeed := true; ; {
		next, cursor := time.Now().Add(e.Interval), ""
		if hasFeed {
			if cursor, hasFeed, err = e.latest(ctx); err == nil && !hasFeed {
				e.Note("The service has no event feed and is polled: a status that lasts shorter than the time between " +
					"two polls is not seen.")
			}
		}
		if err == nil {
			err = e.read(ctx, e.unfinished())
		}
		if err != nil {
			return err
		}
		if e.Loaded != nil {
			e.Loaded()
			e.Loaded = nil
		}
		if e.isFinished() {
			return errStop
		}
		if hasFeed {
			if err = e.followFeed(ctx, cursor); !errors.Is(err, errFeedLost) {
				return err
			}
			e.Note("The event feed lost its place. The statuses are read again; changes in between are not seen.")
		}
		if err = wait.Sleep(ctx, time.Until(next)); err != nil {
			return err
		}
	}
}

// latest returns the cursor at the end of the feed; hasFeed is false when there is none.
func (e *Engine) latest(ctx context.Context) (cursor string, hasFeed bool, err error) {
	filter := payments.EventFilter{After: payments.LatestEvent, Types: e.Subjects.Events, Limit: 1}
	err = e.caller.call(ctx, func() error {
		page, err := e.Service.ListEvents(ctx, filter)
		if cursor, hasFeed = page.Cursor, err == nil; hasNoFeed(err) {
			return nil
		}
		return err
	})
	return cursor, hasFeed, err
}

// followFeed follows the feed from a cursor. The error is errFeedLost if the feed has to be begun anew.
func (e *Engine) followFeed(ctx context.Context, cursor string) error {
	feed := Feed{
		Service: e.Service, Filter: payments.EventFilter{After: cursor, Types: e.Subjects.Events}, Interval: e.Interval,
		Each:   func(event payments.Event) (bool, error) { return false, e.handle(ctx, event) },
		caller: e.caller,
	}
	err := feed.Run(ctx)
	if !feed.ended && hasNoFeed(err) && !payments.IsKind(err, payments.KindUnusable) {
		return errFeedLost
	}
	return err
}

// handle records an event of the feed. The feed begins before the statuses were read, and may send an event late or
// twice: what has happened before the status that is known is left out.
func (e *Engine) handle(ctx context.Context, event payments.Event) error {
	after := e.Subjects.Of(event)
	known := e.find(event.SubjectID)
	switch {
	case known.ID == "" && !e.All:
		return nil
	case known.ID == "":
		isMember := false
		err := e.caller.call(ctx, func() (err error) {
			isMember, err = e.Subjects.IsMember(ctx, event)
			return err
		})
		if err != nil || !isMember {
			return err
		}
	case event.From != nil && *event.From == known.Status:
	case known.reported && (after.Status == known.Status || !event.OccurredAt.After(known.since)):
		return nil
	case event.From != nil: // it could not be read, or the feed has a gap
		before := State{ID: event.SubjectID, Status: *event.From, Since: event.OccurredAt}
		if err := e.record(before); err != nil {
			return err
		}
	}
	if err := e.record(after); err != nil {
		return err
	}
	if e.isFinished() {
		return errStop
	}
	return nil
}
