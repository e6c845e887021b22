package follow

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/wait"
)

// An Engine follows many subjects at once and reports each change once and in order.
//
// With an event feed no change is missed: the engine takes the cursor of the feed before it reads the statuses, and
// reports from the feed what happened while it read them. Without a feed it polls, and does not see a status that
// lasts shorter than the time between two polls.
type Engine struct {
	Service  payments.Events
	Subjects Subjects
	// IDs are the subjects to follow.
	IDs []string
	// All follows also every subject that Subjects.List has, and new ones as they appear.
	All bool
	// Most is how many subjects a watch of All may have. One more ends it with a LimitError, so that none is missing
	// unnoticed. Zero means no bound.
	Most int
	// Goal is what each subject is followed to.
	Goal Goal
	// FailFast ends the watch with the first subject that fails.
	FailFast bool
	// Interval is the time between two polls of a service without a feed, or without long polls.
	Interval time.Duration
	// Parallel is the most requests at the same time; zero means 16.
	Parallel int
	// Each is called with the first status of each subject and with every change, never concurrently. Its error ends the
	// watch.
	Each func(Change) error
	// Progress is called while the subjects are read for the first time, with how many have been read so far; it is not
	// called concurrently with Each, and may be nil.
	Progress func(read int)
	// Loaded is called once, when all subjects have been read that could be read at first, with All those of the whole
	// list; it is not called concurrently with Each, and may be nil. Subjects that Each reports later are mostly new ones.
	Loaded func()
	// Gone is called with a subject that has been deleted; it may be nil.
	Gone func(id string)
	// Trouble is called when the service stops answering, and Recovered when it answers again. The watch goes on
	// meanwhile.
	Trouble   func(error)
	Recovered func()
	// Note is called with what the user should know about the progress of the watch; it may be nil.
	Note func(text string)

	tracker   *tracker
	loaded    bool // Loaded was called
	health    *health
	backoff   time.Duration // the first pause; zero means firstBackoff
	longRetry time.Duration // the longest pause that a stream may ask for; zero means longestRetry
}

// defaultParallel is small enough for any service and large enough to reach the default rate at usual latencies.
const defaultParallel = 16

// Run follows the subjects until none is waited for, the context ends, or the service refuses. Without a goal it runs
// until the context ends. The summary is valid with an error too.
func (e *Engine) Run(ctx context.Context) (Summary, error) {
	e.backoff = cmp.Or(e.backoff, firstBackoff)
	e.Parallel = cmp.Or(e.Parallel, defaultParallel)
	if e.Note == nil {
		e.Note = func(string) {}
	}
	e.health = &health{
		trouble: e.Trouble, recovered: e.Recovered, probe: make(chan struct{}, 1),
		backoff: wait.Backoff{First: e.backoff, Longest: max(longestBackoff, e.backoff)},
	}
	e.tracker = &tracker{
		goal: e.Goal, failFast: e.FailFast, most: e.Most, report: e.Each, byID: map[string]*subject{}, unlisted: e.All,
	}
	err := e.tracker.add(e.IDs...)
	if err == nil {
		err = e.follow(ctx)
	}
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

const (
	// findFeedEvery is how often a service that is polled is asked again for its feed: a proxy may have answered in its
	// place, or a newer release may have one.
	findFeedEvery = 10 * time.Minute
	// mostLosses is how often the feed may lose its place within findFeedEvery. A feed that does so more often is no
	// better than polling.
	mostLosses = 3
)

// follow uses the feed where there is one, and polls else.
func (e *Engine) follow(ctx context.Context) error {
	polling := false
	for losses := 0; ; {
		cursor, ok, err := e.latestCursor(ctx)
		if err != nil {
			return err
		}
		if !ok || losses > mostLosses {
			if !polling {
				e.Note("The service has no event feed and is polled: a status that lasts shorter than the time between " +
					"two polls is not seen.")
			}
			polling, losses = true, 0
			if err := e.poll(ctx); err != nil {
				return err
			}
			continue
		}
		if polling {
			e.Note("The service has an event feed now, which is followed.")
		}
		polling = false
		began := time.Now()
		if err := e.followFeed(ctx, cursor); !errors.Is(err, errFeedLost) {
			return err
		}
		e.Note("The event feed lost its place. The statuses are read again; changes in between are not seen.")
		if losses++; time.Since(began) > findFeedEvery {
			losses = 1
		}
	}
}

// mostFeedFailures is how often a request for the feed may fail with 500 until the service counts as having no feed:
// some answer 500 to a path that they do not know.
const mostFeedFailures = 3

// latestCursor returns the cursor at the end of the feed; ok is false when there is no feed.
func (e *Engine) latestCursor(ctx context.Context) (cursor string, ok bool, err error) {
	filter := payments.EventFilter{After: payments.LatestEvent, Types: e.Subjects.Events, Limit: 1}
	for failures := 1; ; failures++ {
		var page payments.EventPage
		err := e.health.call(ctx, func() (err error) {
			page, err = e.Service.ListEvents(ctx, filter)
			return err
		})
		problem, _ := errors.AsType[*payments.ProblemError](err)
		isBroken := problem != nil && problem.Status >= 500 && !affectsAll(err) && failures >= mostFeedFailures
		switch {
		case err == nil:
			return page.Cursor, true, nil
		case ctx.Err() == nil && (HasNoFeed(err) || isBroken):
			return "", false, nil
		case ctx.Err() != nil || !e.health.temporary(err):
			return "", false, err
		}
	}
}
