package follow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/payctl/payctl/internal/payments"
)

// errFeedLost means that the feed does not know the cursor any more, or is no longer there.
var errFeedLost = errors.New("follow: the event feed is lost")

// lostOr wraps the errors that mean that the feed is lost.
func lostOr(err error) error {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if ok && HasNoFeed(problem) && problem.Kind() != payments.KindUnusable {
		return fmt.Errorf("%w: %w", errFeedLost, err)
	}
	return err
}

// A feedFollower follows the feed from a cursor that was taken before any status was read.
type feedFollower struct {
	*Engine
	cursor string
	// unread has the subjects whose present status is not known, each with its events since the cursor was taken.
	unread map[string][]payments.Event
	// kept is how many events have been kept in unread.
	kept int
	// listing is true until the whole list has been read, where All is followed.
	listing bool
}

// mostKept is how many events may be kept until their subjects have been read. A usual service has far fewer while the
// statuses are read; one that has more of them than memory is asked for the statuses again.
const mostKept = 10_000

// errReadAgain interrupts the feed to read the subjects that could not be read before.
var errReadAgain = errors.New("follow: read again")

// followFeed reads all statuses, then follows the feed. The error is errFeedLost if the caller has to begin anew.
func (e *Engine) followFeed(ctx context.Context, cursor string) error {
	f := &feedFollower{Engine: e, cursor: cursor, unread: map[string][]payments.Event{}, listing: e.All}
	for _, id := range e.tracker.unfinished() {
		f.unread[id] = nil
	}
	for {
		if err := f.readUnread(ctx); err != nil {
			return err
		}
		limited, cancel := ctx, context.CancelFunc(func() {})
		if len(f.unread) > 0 {
			limited, cancel = context.WithTimeoutCause(ctx, spread(max(f.Interval, f.backoff)), errReadAgain)
		}
		feed := Feed{
			Service: f.Service, Filter: payments.EventFilter{After: f.cursor, Types: f.Subjects.Events}, Interval: f.Interval,
			Each: func(event payments.Event) (bool, error) { return false, f.handle(ctx, event) },
			Moved: func(cursor string) error {
				f.cursor = cursor
				return nil
			},
			health: f.health, longRetry: f.longRetry,
		}
		err := lostOr(feed.Run(limited))
		cancel()
		if !errors.Is(err, errReadAgain) {
			return err
		}
	}
}

// readUnread reads the subjects whose status is not known. It leaves those in unread that cannot be read now.
func (f *feedFollower) readUnread(ctx context.Context) error {
	var ids []string
	for _, id := range f.tracker.unfinished() {
		if _, unread := f.unread[id]; unread {
			ids = append(ids, id)
		}
	}
	if err := f.readStates(ctx, ids, f.listing, f.join); err != nil {
		return err
	}
	f.listing = false
	return f.checkFinished()
}

// join records states that were just read, in their order with the events. It reads the feed up to now; subjects with
// events since the cursor was taken are recorded from these, as they may have happened before or after the read.
func (f *feedFollower) join(ctx context.Context, states []State) error {
	for _, state := range states {
		if !state.gone {
			if err := f.tracker.add(state.ID); err != nil {
				return err
			}
		}
		if _, unread := f.unread[state.ID]; !unread {
			f.unread[state.ID] = nil
		}
	}
	if err := f.drain(ctx); err != nil {
		return err
	}
	for _, state := range states {
		events, unread := f.unread[state.ID]
		if !unread {
			continue // it was listed twice, and is recorded
		}
		f.kept -= len(events)
		if len(events) == 0 && state.Status == "" && !state.gone {
			continue // it could not be read
		}
		delete(f.unread, state.ID)
		if state.gone {
			continue
		}
		if err := f.recordWith(state, events); err != nil {
			return err
		}
	}
	return nil
}

// recordWith records the status before the first event and that of each event; without events, the state that was read.
func (f *feedFollower) recordWith(state State, events []payments.Event) error {
	if len(events) == 0 {
		return f.tracker.record(state)
	}
	if from := events[0].From; from != nil {
		if state.Status != *from {
			state = State{ID: state.ID, Status: *from, Since: events[0].OccurredAt, Record: state.Record}
		}
		if err := f.tracker.record(state); err != nil {
			return err
		}
	}
	for _, event := range events {
		after := f.Subjects.Of(event)
		after.Record = Newest(after.Record, state.Record)
		if err := f.tracker.record(after); err != nil {
			return err
		}
	}
	return nil
}

// drain handles the events up to the present end of the feed.
func (f *feedFollower) drain(ctx context.Context) error {
	for {
		var page payments.EventPage
		err := f.health.call(ctx, func() (err error) {
			page, err = f.Service.ListEvents(ctx, payments.EventFilter{
				After: f.cursor, Types: f.Subjects.Events, Limit: payments.LargestPage,
			})
			return err
		})
		if err != nil && ctx.Err() == nil && f.health.temporary(err) {
			continue
		}
		if err != nil {
			return lostOr(err)
		}
		for _, event := range page.Data {
			if err := f.handle(ctx, event); err != nil {
				return err
			}
		}
		atEnd := len(page.Data) == 0 || page.Cursor == f.cursor
		if f.cursor = page.Cursor; atEnd {
			return nil
		}
	}
}

// handle records the next event of the feed, or keeps it until its subject has been read.
func (f *feedFollower) handle(ctx context.Context, event payments.Event) error {
	if events, unread := f.unread[event.SubjectID]; unread {
		if f.kept++; f.kept > mostKept {
			return errFeedLost
		}
		f.unread[event.SubjectID] = append(events, event)
		return nil
	}
	known, followed := f.tracker.find(event.SubjectID)
	if !followed {
		member, err := f.isMember(ctx, event)
		if err != nil || !member {
			return err
		}
	}
	// If the event's previous status is not the one last reported (the subject is not listed yet, or the feed had a gap),
	// that status is reported first.
	if (followed || f.listing) && event.From != nil && *event.From != known.status {
		if followed && !event.OccurredAt.After(known.since) {
			return nil // the feed sent it late or twice; a later status has been reported
		}
		before := State{ID: event.SubjectID, Status: *event.From, Since: event.OccurredAt}
		if err := f.tracker.record(before); err != nil {
			return err
		}
	}
	if err := f.tracker.record(f.Subjects.Of(event)); err != nil {
		return err
	}
	return f.checkFinished()
}

func (f *feedFollower) checkFinished() error {
	if f.tracker.allDecided() && len(f.unread) == 0 && !f.listing {
		return errStop
	}
	return nil
}

// isMember reports whether the subject of an event is one of those that All means.
func (f *feedFollower) isMember(ctx context.Context, event payments.Event) (bool, error) {
	if !f.All {
		return false, nil
	}
	membership := f.Subjects.Membership(event)
	if membership != Unknown {
		return membership == Member, nil
	}
	for page, err := range f.list(ctx) {
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(page, func(state State) bool { return state.ID == event.SubjectID }) {
			return true, nil
		}
	}
	return false, nil
}
