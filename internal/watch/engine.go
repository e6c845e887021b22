package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// An Engine follows many subjects at once, and finds out by itself how: by the feed of events where the service has one;
// else by conditional requests, held where the service holds its answers and the subjects are few enough; else by asking
// for one after the other.
//
// Each change is told once and in order. With the feed none is missed: the cursor is taken before the states are read, and
// what happened while they were read is told from the feed. Without it a status that lasts shorter than the time between
// two questions is not seen.
type Engine struct {
	Service  payments.Events
	Subjects Subjects
	// IDs are the subjects to follow.
	IDs []string
	// All follows every subject that Subjects.List lists as well, and those that come to be.
	All bool
	// Goal is what is waited for. A subject is followed until it is as wanted, or will not be any more.
	Goal Goal
	// FailFast ends the watch with the first subject that ends badly.
	FailFast bool
	// Interval is the least time between two questions about one subject to a service that does not hold its answers.
	Interval time.Duration
	// AtOnce is how many questions are on their way at once, but for those whose answers are held; zero means 16.
	AtOnce int
	// Each is called with the first state of each subject and with every change, never twice at a time.
	Each func(Change) error
	// Gone is called with a subject that was listed or read and is no more; nil is not called. One of IDs ends badly then.
	Gone func(id string)
	// Trouble is called when the service cannot be reached or fails, and Recovered when it answers again; the watch goes on.
	Trouble   func(error)
	Recovered func()
	// Note is called with what is worth knowing of how the watch goes on.
	Note func(text string)

	book      *book
	gate      *gate
	condition *condition
	backoff   time.Duration // the first; zero means firstBackoff
	patience  time.Duration // with what a stream asks to wait; zero means longestRetry
}

// atOnce is how many questions are on their way at once where nobody says.
const atOnce = 16

// Run follows the subjects until each of them is as wanted or never will be, the context ends or the service refuses. With
// an endless Goal it ends with the context. The summary holds however it ended.
func (e *Engine) Run(ctx context.Context) (Summary, error) {
	e.condition = &condition{trouble: e.Trouble, recovered: e.Recovered}
	e.backoff = cmp.Or(e.backoff, firstBackoff)
	e.AtOnce = cmp.Or(e.AtOnce, atOnce)
	e.gate = newGate(e.condition, e.backoff)
	e.book = &book{goal: e.Goal, failFast: e.FailFast, each: e.Each, entries: map[string]*entry{}}
	for _, id := range e.IDs {
		e.book.add(id)
	}
	err := e.follow(ctx)
	if p, ok := errors.AsType[*panicked](err); ok {
		panic(p.Error())
	}
	own, isOwn := errors.AsType[*ownError](err)
	switch {
	case errors.Is(err, errDone):
		err = nil
	case isOwn:
		err = own.error
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return e.book.summary(), err
}

func (e *Engine) follow(ctx context.Context) error {
	cursor, ok, err := e.latest(ctx)
	if err != nil {
		return err
	}
	for {
		if ok {
			if err := e.followFeed(ctx, cursor); !errors.Is(err, errNoFeed) {
				return err
			}
		}
		err := e.poll(ctx)
		found, has := errors.AsType[*feedFound](err)
		if !has || ctx.Err() != nil {
			return err
		}
		cursor, ok = found.cursor, true
		e.note("The service has a feed of events by now, which is followed.")
	}
}

// errNoFeed says that the service has no feed of events any more.
var errNoFeed = errors.New("watch: the feed is no more")

// A feedFound says that a service without a feed of events has one now, and where it ends.
type feedFound struct{ cursor string }

// Error implements error.
func (f *feedFound) Error() string { return "watch: there is a feed" }

// attemptsOfFeed is how often a service that fails is asked for its feed before it counts as having none.
const attemptsOfFeed = 3

// latest is the cursor at the end of the feed; not ok when there is no feed to be had.
func (e *Engine) latest(ctx context.Context) (cursor string, ok bool, err error) {
	for attempt := 1; ; attempt++ {
		var page payments.EventPage
		err := e.gate.pass(ctx, func() (err error) {
			page, err = e.Service.ListEvents(ctx, payments.EventFilter{After: payments.LatestEvent, Types: e.Subjects.Events, Limit: 1})
			return err
		})
		refusal, refused := errors.AsType[*payments.Refusal](err)
		switch {
		case err == nil:
			return page.Cursor, true, nil
		case ctx.Err() != nil:
			return "", false, err
		case errors.Is(err, errors.ErrUnsupported):
			return "", false, nil
		case !refused:
			return "", false, err
		case noFeed(refusal):
			return "", false, nil
		case !e.condition.passing(err):
			return "", false, err
		case refusal.Status >= 500 && !ofService(err) && attempt >= attemptsOfFeed: // some say so of what they do not have
			return "", false, nil
		}
	}
}

// noFeed says whether a refusal of the feed is that of a service that has none, or none for this client.
func noFeed(r *payments.Refusal) bool {
	switch r.Status {
	case 400, 403, 404, 405, 406, 410, 501:
		return true
	}
	return r.Status/100 == 2 // an answer of something else
}

// read reads one state of which not all is known. When it cannot be read for the moment it stays as it is; when it is gone
// since it was listed, it is left without an identifier.
func (e *Engine) read(ctx context.Context, state *State) error {
	var reading payments.Reading[State]
	err := e.gate.pass(ctx, func() (err error) {
		reading, err = e.Subjects.Read(ctx, state.ID, payments.Condition{})
		return err
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && e.condition.passing(err):
		return nil
	case isGone(err) && e.All && !slices.Contains(e.IDs, state.ID): // since it was listed
		e.book.drop(state.ID)
		e.gone(state.ID)
		*state = State{}
		return nil
	case isGone(err) && e.wasThere(state.ID):
		gone, err := e.missed(state.ID)
		if gone {
			*state = State{}
		}
		return err
	case err != nil:
		return err
	}
	name := state.Name
	*state = reading.Value
	if state.Name == "" {
		state.Name = name
	}
	return nil
}

// wasThere says whether anything was told of a subject.
func (e *Engine) wasThere(id string) bool {
	known, _ := e.book.find(id)
	return known.told
}

// missed notes that a subject that was there is not found. Gone says that it is followed no further.
func (e *Engine) missed(id string) (gone bool, err error) {
	if gone, err = e.book.missed(id); gone {
		e.gone(id)
	}
	return gone, err
}

func (e *Engine) gone(id string) {
	if e.Gone != nil {
		e.Gone(id)
	}
}

// page reads a page of the list, however long the service is in trouble.
func (e *Engine) page(ctx context.Context, cursor string) (page []State, next string, err error) {
	for {
		err := e.gate.pass(ctx, func() (err error) {
			page, next, err = e.Subjects.List(ctx, cursor)
			return err
		})
		if err == nil {
			return page, next, nil
		}
		if ctx.Err() != nil || !e.condition.passing(err) {
			return nil, "", err
		}
	}
}

// isGone says whether what was asked for is not there.
func isGone(err error) bool {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	return ok && (refusal.Status == 404 || refusal.Status == 410)
}

// A panicked is a panic of one of the engine's goroutines, which Run passes on in its own: a caller that has to put a
// terminal right can only do so there.
type panicked struct {
	value any
	stack []byte
}

// Error implements error.
func (p *panicked) Error() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

func carrying(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicked{value, debug.Stack()}
		}
	}()
	return work()
}

// note tells something, where somebody wants to know.
func (e *Engine) note(text string) {
	if e.Note != nil {
		e.Note(text)
	}
}
