package watch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// batch is how many subjects are read between two looks at the feed.
const batch = 50

// followFeed follows the feed from a cursor that was taken before anything was read. The error is errNoFeed when the feed is
// no more.
func (e *Engine) followFeed(ctx context.Context, cursor string) error {
	f := &feedFollower{Engine: e, cursor: cursor, listing: e.All, unread: e.book.open(), early: map[string][]payments.Event{}}
	for losses, last := 0, (time.Time{}); ; {
		err := f.run(ctx)
		if _, lost := errors.AsType[*lostFeed](err); !lost || ctx.Err() != nil {
			return err
		}
		if losses++; time.Since(last) > lookAgain {
			losses = 1
		}
		if last = time.Now(); losses > mostLosses {
			return errNoFeed // it loses each place that it gives
		}
		e.note("The feed of events has lost the place; the present states are read anew. What came and went in between is not seen.")
		next, ok, err := e.latest(ctx)
		switch {
		case err != nil:
			return err
		case !ok:
			return errNoFeed
		}
		f.cursor, f.listing = next, e.All
		clear(f.early)
		f.unread = e.book.open()
	}
}

// mostLosses is how often the feed may lose the place until, for some time, it is done without.
const mostLosses = 3

// A lostFeed is an error of a feed that does not know the place any more, or that is no more.
type lostFeed struct{ error }

// Unwrap gives errors.As the error.
func (l *lostFeed) Unwrap() error { return l.error }

// orLost marks the errors that say that the feed is lost.
func orLost(err error) error {
	if refusal, ok := errors.AsType[*payments.Refusal](err); ok && noFeed(refusal) && !payments.IsKind(err, payments.KindUnusable) {
		return &lostFeed{err}
	}
	return err
}

// A feedFollower is one watch over the feed.
type feedFollower struct {
	*Engine
	cursor  string
	unread  []string                    // whose state is not known, or not known to be the present one
	listing bool                        // the list has not been read to its end since the cursor
	early   map[string][]payments.Event // of subjects that are not read yet
	recent  recent
}

// run reads what is not known, then follows the feed. Subjects that could not be read are tried again meanwhile.
func (f *feedFollower) run(ctx context.Context) error {
	for {
		if err := f.sync(ctx); err != nil {
			return err
		}
		following, cancel := ctx, context.CancelFunc(func() {})
		if len(f.unread) > 0 {
			following, cancel = context.WithTimeoutCause(ctx, jitter(max(f.Interval, f.backoff)), errReadAgain)
		}
		err := f.feed(following)
		cancel()
		if !errors.Is(err, errReadAgain) || ctx.Err() != nil {
			return err
		}
	}
}

// errReadAgain ends following the feed for as long as it takes to read what could not be read.
var errReadAgain = errors.New("watch: read again")

func (f *feedFollower) feed(ctx context.Context) error {
	feed := Feed{
		Service: f.Service, Filter: payments.EventFilter{After: f.cursor, Types: f.Subjects.Events}, Interval: f.Interval,
		Each: func(event payments.Event) (bool, error) { return false, f.take(ctx, event) },
		Moved: func(cursor string) error {
			f.cursor = cursor
			return nil
		},
		condition: f.condition, patience: f.patience, recent: &f.recent,
	}
	return orLost(feed.Run(ctx))
}

// take takes in an event behind all that was read.
func (f *feedFollower) take(ctx context.Context, event payments.Event) error {
	known, followed := f.book.find(event.SubjectID)
	if followed && !known.told {
		f.early[event.SubjectID] = append(f.early[event.SubjectID], event) // until it is read
		return nil
	}
	if !followed {
		member, err := f.isMember(ctx, event)
		if err != nil || !member {
			return err
		}
	}
	// Of what changes before it is listed, and of what changed in a gap of the feed, the status before is news too.
	if (followed || f.listing) && event.From != nil && *event.From != known.status {
		if followed && event.OccurredAt.Before(known.since) {
			return nil // it comes late, and what came of it is known
		}
		if err := f.book.tell(State{ID: event.SubjectID, Status: *event.From, Since: event.OccurredAt}); err != nil {
			return err
		}
	}
	if err := f.book.tell(f.Subjects.Of(event)); err != nil {
		return err
	}
	return f.over()
}

func (f *feedFollower) over() error {
	if f.book.over() && len(f.unread) == 0 && !f.listing {
		return errDone
	}
	return nil
}

// isMember says whether the subject of an event is one of those that all are.
func (f *feedFollower) isMember(ctx context.Context, event payments.Event) (bool, error) {
	if !f.All {
		return false, nil
	}
	belonging := f.Subjects.Belongs(event)
	var walk payments.Walk
	for cursor := ""; belonging == Unproven; {
		page, next, err := f.page(ctx, cursor)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(page, func(state State) bool { return state.ID == event.SubjectID }) {
			return true, nil
		}
		if cursor = next; cursor == "" {
			return false, nil
		}
		if err := walk.Step(len(page), cursor); err != nil {
			return false, err
		}
	}
	return belonging == Member, nil
}

// sync reads the states that are not known: those of the list, page by page, and those of single subjects in batches. What
// happens while a batch is read is in the feed behind the cursor; with it, the state of each at the cursor is known.
func (f *feedFollower) sync(ctx context.Context) error {
	listed := map[string]bool{}
	var walk payments.Walk
	for cursor := ""; f.listing; {
		page, next, err := f.page(ctx, cursor)
		if err != nil {
			return err
		}
		for i := range page {
			listed[page[i].ID] = true
		}
		if err := f.settle(ctx, page); err != nil {
			return err
		}
		if next != "" {
			if err := walk.Step(len(page), next); err != nil {
				return err
			}
		}
		cursor, f.listing = next, next != ""
	}
	f.unread = slices.DeleteFunc(f.unread, func(id string) bool { return listed[id] })
	if err := f.findListed(ctx); err != nil {
		return err
	}
	for left := len(f.unread); left > 0; {
		n := min(batch, left)
		ids := f.unread[:n]
		f.unread, left = f.unread[n:], left-n
		states := make([]State, 0, n)
		for _, id := range ids {
			states = append(states, State{ID: id, Partial: true})
		}
		if err := f.settle(ctx, states); err != nil {
			return err
		}
	}
	return f.over()
}

const (
	// worthListing is how many unread subjects make it worth to look for them in the list.
	worthListing = 100
	// perListed is how many subjects have to be in a page of the list for it to be cheaper than reading each.
	perListed = 20
)

// findListed looks for many unread subjects in the list, which tells of many at once, as long as that can be the cheaper way.
func (f *feedFollower) findListed(ctx context.Context) error {
	if len(f.unread) < worthListing || f.Subjects.List == nil {
		return nil
	}
	unread := make(map[string]bool, len(f.unread))
	for _, id := range f.unread {
		unread[id] = true
	}
	cursor := ""
	for pages := len(f.unread) / perListed; pages > 0 && len(unread) > 0; pages-- {
		listed, next, err := f.page(ctx, cursor)
		if err != nil && ctx.Err() == nil {
			break // whoever may not list may still read
		}
		if err != nil {
			return err
		}
		listed = slices.DeleteFunc(listed, func(state State) bool { return !unread[state.ID] })
		for _, state := range listed {
			delete(unread, state.ID)
		}
		if err := f.settle(ctx, listed); err != nil {
			return err
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	f.unread = slices.DeleteFunc(f.unread, func(id string) bool { return !unread[id] })
	return nil
}

// settle tells the states of a batch that was read since the cursor, and moves the cursor behind it.
func (f *feedFollower) settle(ctx context.Context, states []State) error {
	if err := f.complete(ctx, states); err != nil {
		return err
	}
	happened, err := f.drain(ctx, states)
	if err != nil {
		return err
	}
	for _, state := range states {
		if state.ID == "" {
			continue
		}
		f.book.add(state.ID)
		events := append(f.early[state.ID], happened[state.ID]...)
		delete(f.early, state.ID)
		for i, event := range events {
			if i == 0 && event.From != nil { // how it was when nothing of it had happened yet
				before := State{ID: state.ID, Status: *event.From, Since: event.OccurredAt, Name: state.Name}
				if state.Status == *event.From {
					before = state
				}
				if err := f.book.tell(before); err != nil {
					return err
				}
			}
			after := f.Subjects.Of(event)
			after.Name = state.Name
			if err := f.book.tell(after); err != nil {
				return err
			}
		}
		if len(events) > 0 {
			continue
		}
		if state.Status == "" { // it could not be read
			f.unread = append(f.unread, state.ID)
			continue
		}
		if err := f.book.tell(state); err != nil {
			return err
		}
	}
	return nil
}

// complete reads those states of which not all is known. One that cannot be read for the moment is left without a status.
func (e *Engine) complete(ctx context.Context, states []State) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(e.AtOnce, len(states)) {
		workers.Go(func() {
			for i := range next {
				if err := carrying(func() error { return e.read(ctx, &states[i]) }); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range states {
		if states[i].Partial && ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// drain takes in what happened up to now. What happened to those states is returned and not told.
func (f *feedFollower) drain(ctx context.Context, states []State) (map[string][]payments.Event, error) {
	apart := make(map[string]bool, len(states))
	for i := range states {
		apart[states[i].ID] = true
	}
	happened := map[string][]payments.Event{}
	for {
		var page payments.EventPage
		err := f.gate.pass(ctx, func() (err error) {
			page, err = f.Service.ListEvents(ctx, payments.EventFilter{After: f.cursor, Types: f.Subjects.Events, Limit: payments.LargestPage})
			return err
		})
		switch {
		case err != nil && (ctx.Err() != nil || !f.condition.passing(err)):
			return nil, orLost(err)
		case err != nil:
			continue
		}
		fresh := false
		for _, event := range page.Data {
			f.cursor = event.ID
			if f.recent.again(event) {
				continue
			}
			fresh = true
			if apart[event.SubjectID] {
				happened[event.SubjectID] = append(happened[event.SubjectID], event)
			} else if err := f.take(ctx, event); err != nil {
				return nil, err
			}
		}
		f.cursor = page.Cursor
		if !fresh { // none, or what a service that does not move on sends again
			return happened, nil
		}
	}
}
