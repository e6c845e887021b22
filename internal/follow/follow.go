// Package follow follows the statuses of many subjects, such as identity checks or transfers. It reports each change
// once and in order. It follows the service's event feed, as a stream or else by long poll. It also reads the statuses:
// all at first and while the feed does not work, otherwise a few at a time.
//
// A watch ends in one of these ways:
//
//   - The goal is reached: Goal.Judge returns Reached for a status. Engine.isFinished (read.go) is true when no
//     subject waits.
//   - A subject fails: Goal.Judge returns Failed for a status that cannot reach the goal. The others are followed.
//   - It times out, is canceled, or its output is closed: the context of Engine.Run ends, and Run returns its cause.
//     The command sets the cause: watchui.Options.Run for --timeout, the program's signals for a cancellation, and
//     ui.Streams.WhileRead for a closed output.
//   - Engine.Each returns an error: a row cannot be written, or there are too many.
//   - The service refuses: caller.waitsFor decides which errors pass. Other errors end the watch. Only if the service
//     has no event feed, the statuses are polled instead.
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

// An Engine follows many subjects and reports each change once and in order.
//
// While the event feed works, no change is missed. Statuses that were read before the engine had a cursor are read
// again. While the feed does not work, the engine polls. It then misses statuses that are shorter than the interval.
type Engine struct {
	Service  payments.Events
	Subjects Subjects
	// IDs are the subjects to follow.
	IDs []string
	// All also follows every subject of Subjects.List, and new ones.
	All bool
	// Goal is the goal of each subject.
	Goal Goal
	// TakesPartial reports partial states of the list unchanged. Otherwise they are read first.
	TakesPartial bool
	// Interval is the time between two polls while the feed does not work, or has no long polls.
	Interval time.Duration
	// Each is called with the first status of each subject and with every change, never concurrently. Its error ends
	// the watch.
	Each func(Change) error
	// Loaded is called once, after the first read of all subjects, but not during Each. It may be nil.
	Loaded func()
	// Trouble is called when the service stops answering, and with nil when it answers again. The watch goes on.
	Trouble func(error)
	// Polling is called with the reason when the feed does not work, and with nil when it works again. The statuses are
	// polled meanwhile.
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
	checked int // the position of check in order
}

// Run follows the subjects until none waits, the context ends, or the service refuses. Without a goal it runs until the
// context ends. The summary is also valid after an error.
func (e *Engine) Run(ctx context.Context) error {
	e.caller = newCaller(e.Interval, e.Trouble)
	e.feed.tried = make(chan struct{})
	e.mu.Lock() // Summary may be called
	e.byID = map[string]*subject{}
	for _, id := range e.IDs {
		e.add(id)
	}
	e.mu.Unlock()
	group, running := errgroup.WithContext(payments.WithoutRateLimitRetry(ctx)) // Trouble tells the user
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

// errStop ends a finished watch, or a feed that Each has ended. The others are reasons why a feed does not work.
var (
	errStop   = errors.New("follow: finished")
	errNoFeed = errors.New("the service has none")
	errLost   = errors.New("it lost its place")
	errMisses = errors.New("it misses changes")
)

// A feedState is the state of the feed. It is safe for concurrent use.
type feedState struct {
	tried chan struct{} // closed when the feed has first answered, or has failed

	mu      sync.Mutex // of what follows
	begun   bool       // tried is closed
	failure error      // why the feed does not work
	misses  bool       // it works, but does not report all changes
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

// tellPolling tells the user once that the statuses are polled. During the first read, a slow feed may still answer.
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

// setLost records whether all statuses must be read again.
func (f *feedState) setLost(lost bool) {
	f.mu.Lock()
	f.lost = lost
	f.mu.Unlock()
}

// works reports whether the feed reports each change.
func (f *feedState) works() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.begun && f.failure == nil
}

// followFeed follows the feed, and starts again whenever it loses its place. It returns nil if the service has no feed.
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
		e.feed.setLost(true) // statuses read before this cursor
		e.setFeed(nil)
		feed := Feed{
			Service: e.Service, Filter: payments.EventFilter{After: page.Cursor, Types: filter.Types}, Interval: e.Interval,
			Each:    func(event payments.Event) (bool, error) { return false, e.handle(ctx, event) },
			Trouble: e.setFeed,
		}
		err = feed.Run(ctx)
		if feed.ended || ctx.Err() != nil || !hasNoFeed(err) || payments.IsProblem(err, payments.ProblemUnusable) {
			return err
		}
		e.setFeed(errLost)
		e.Note("The event feed lost its place. The statuses are read again; changes in between are not seen.")
		if err := wait.Sleep(ctx, e.Interval); err != nil {
			return err
		}
	}
}

// handle records an event of the feed, unless it is older than the known status. The feed begins before the statuses
// were read, and may send an event late or twice.
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
	case known == nil,
		event.From != nil && *event.From == known.Status && !event.OccurredAt.Before(known.since):
	case known.reported && (after.Status == known.Status || !event.OccurredAt.After(known.since)):
		return nil
	case event.From != nil && !isNew: // the status could not be read, or the feed has a gap
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
