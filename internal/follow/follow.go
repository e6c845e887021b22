// Package follow follows the statuses of many subjects, such as identity checks or transfers, and reports each change
// once and in order. It follows the service's event feed, as a stream or else by long poll. It also reads the statuses:
// all of them at first and while the feed does not work, otherwise a few at a time.
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
//     that only tell that the service has no event feed: then the statuses are polled.
package follow

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// An Engine follows many subjects at once and reports each change once and in order.
//
// While the event feed works no change is missed. Statuses that were read before the engine had a cursor of the feed
// are read again. While the feed does not work, the engine polls. Then it does not see a status that lasts shorter than
// the time between two polls.
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
	// Interval is the time between two polls while the feed does not work, or has no long polls.
	Interval time.Duration
	// Each is called with the first status of each subject and with every change, never concurrently. Its error ends
	// the watch.
	Each func(Change) error
	// Loaded is called once, when all subjects have been read that could be read at first, with All those of the whole
	// list; it is not called concurrently with Each. It may be nil.
	Loaded func()
	// Trouble is called when the service stops answering, and with nil when it answers again. The watch goes on
	// meanwhile.
	Trouble func(error)
	// Polling is called when the statuses are polled because the feed does not work, with the reason, and with nil when
	// it works again.
	Polling func(why error)
	// Note is called with what the user should know about the progress of the watch.
	Note func(text string)

	caller *caller
	feed   feedState

	mu      sync.Mutex // of what follows
	byID    map[string]*subject
	order   []*subject
	waiting int // subjects that are not finished
	records int // how often a status was recorded
	checked int // where check goes on in order
}

// Run follows the subjects until none is waited for, the context ends, or the service refuses. Without a goal it runs
// until the context ends. The summary is valid with an error too.
func (e *Engine) Run(ctx context.Context) error {
	e.caller = newCaller(e.Interval, e.Trouble)
	e.feed.tried = make(chan struct{})
	e.byID = map[string]*subject{}
	for _, id := range e.IDs {
		e.add(id)
	}
	group, running := errgroup.WithContext(payments.WithoutRateLimitRetry(ctx)) // the user is told
	for _, work := range []func(context.Context) error{e.readStatuses, e.followFeed} {
		group.Go(func() error { return wait.CatchPanic(func() error { return work(running) }) })
	}
	err := group.Wait()
	wait.PassOnPanic(err)
	switch {
	case errors.Is(err, errStop):
		err = nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return err
}

// errStop ends a watch that has nothing left to wait for, or a feed that Each has ended. The others are reasons why a
// feed does not work.
var (
	errStop   = errors.New("follow: finished")
	errNoFeed = errors.New("the service has none")
	errLost   = errors.New("it lost its place")
	errMisses = errors.New("it misses changes")
)

// A feedState is what the reader of the statuses knows of the feed. It is safe for concurrent use.
type feedState struct {
	tried chan struct{} // closed when the feed has first answered, or has failed

	mu      sync.Mutex // of what follows
	begun   bool       // tried is closed
	failure error      // why the feed does not work
	misses  bool       // it works, and does not tell all
	lost    bool       // all statuses have to be read anew
	told    bool       // Engine.Polling was called
}

// setFeed records that the feed works, or why not.
func (e *Engine) setFeed(failure error) {
	f := &e.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun {
		f.begun = true
		close(f.tried)
	}
	f.misses = f.misses || errors.Is(failure, errMisses)
	if f.failure = failure; f.misses {
		f.failure = cmp.Or(failure, errMisses)
	}
	if f.failure == nil && f.told && e.Polling != nil {
		e.Polling(nil)
		f.told = false
	}
}

// tellPolling tells the user once that the statuses are polled. A feed may still answer while they are first read.
func (e *Engine) tellPolling(isFirst bool) {
	f := &e.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	failure := f.failure
	if !f.begun && !isFirst {
		failure = errSlow
	}
	if failure != nil && !f.told && e.Polling != nil {
		e.Polling(failure)
		f.told = true
	}
}

// mustReadAll reports whether only a read of all statuses shows what has changed.
func (f *feedState) mustReadAll() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost || f.failure != nil || !f.begun
}

// setLost records whether all statuses have to be read anew.
func (f *feedState) setLost(lost bool) {
	f.mu.Lock()
	f.lost = lost
	f.mu.Unlock()
}

// works reports whether the feed tells of each change.
func (f *feedState) works() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.begun && f.failure == nil
}

// followFeed follows the feed, anew each time that it has lost its place. It returns nil if the service has no feed.
func (e *Engine) followFeed(ctx context.Context) error {
	trouble := newCaller(e.Interval, e.setFeed)
	trouble.isHeld = true
	for {
		filter := payments.EventFilter{After: payments.LatestEvent, Types: e.Subjects.Events, Limit: 1}
		var page payments.EventPage
		err := trouble.call(ctx, func() (err error) {
			page, err = e.Service.ListEvents(ctx, filter)
			return err
		})
		if hasNoFeed(err) {
			e.setFeed(errNoFeed)
			return nil
		}
		if err != nil {
			return err
		}
		e.feed.setLost(true) // what was read before this cursor
		e.setFeed(nil)
		feed := Feed{
			Service: e.Service, Filter: payments.EventFilter{After: page.Cursor, Types: filter.Types}, Interval: e.Interval,
			Each:    func(event payments.Event) (bool, error) { return false, e.handle(ctx, event) },
			Trouble: e.setFeed,
		}
		err = feed.Run(ctx)
		if feed.ended || !hasNoFeed(err) || payments.IsKind(err, payments.KindUnusable) {
			return err
		}
		e.setFeed(errLost)
		e.Note("The event feed lost its place. The statuses are read again; changes in between are not seen.")
		if err := wait.Sleep(ctx, e.Interval); err != nil {
			return err
		}
	}
}

// handle records an event of the feed. The feed begins before the statuses were read, and may send an event late or
// twice: what has happened before the status that is known is left out.
func (e *Engine) handle(ctx context.Context, event payments.Event) error {
	isNew := e.find(event.SubjectID).ID == ""
	if isNew {
		isMember := false
		err := e.caller.call(ctx, func() (err error) {
			if e.All {
				isMember, err = e.Subjects.IsMember(ctx, event)
			}
			return err
		})
		if err != nil || !isMember {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	after, known := e.Subjects.Of(event), e.byID[event.SubjectID]
	switch {
	case known == nil, event.From != nil && *event.From == known.Status:
	case known.reported && (after.Status == known.Status || !event.OccurredAt.After(known.since)):
		return nil
	case event.From != nil && !isNew: // it could not be read, or the feed has a gap
		before := State{ID: event.SubjectID, Status: *event.From, Since: event.OccurredAt}
		if err := e.report(before); err != nil {
			return err
		}
	}
	if err := e.report(after); err != nil {
		return err
	}
	if e.waiting == 0 && len(e.Goal.Wanted) > 0 {
		return errStop
	}
	return nil
}
