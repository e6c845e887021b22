package desk

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/term"
	"github.com/payctl/payctl/internal/term/live"
	"github.com/payctl/payctl/internal/watch"
)

// When the live view has ended, the last changes are left behind as lines, unless there were many subjects.
const (
	fewSubjects = 10
	lastChanges = 50
)

// A view shows a watch in a live view.
type view struct {
	done  func() error // with the keyboard
	kind  Kind
	goal  bool // something is waited for
	live  *live.View
	names *names // nil: nobody's is asked for

	mu   sync.Mutex
	ids  map[string]bool // of the first few
	last []watch.Change
}

// newView returns nil when there is nobody who could close it.
func newView(d *deps.Deps, o *Options, kind Kind) *view {
	keys, done, err := live.Keyboard(d.Streams)
	if err != nil {
		return nil
	}
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	v := &view{done: done, kind: kind, goal: len(o.until) > 0, ids: map[string]bool{}, live: live.New(live.Config{
		Streams: d.Streams, Keys: keys, Title: title, Noun: kind.Subjects, Header: strings.ToUpper(kind.Subject),
		Details: kind.Details, Now: d.Now,
	})}
	if o.All && kind.Name != nil {
		v.names = newNames(kind.Name, v.live.Name)
	}
	return v
}

// run runs a watch beneath the view. Who closes the view while something is waited for has interrupted the watch.
func (v *view) run(ctx context.Context, watching func(context.Context) (watch.Summary, error)) (summary watch.Summary, err error) {
	err = v.live.Run(ctx, func(ctx context.Context) (err error) {
		if v.names != nil {
			asking, end := context.WithCancel(ctx)
			var asked sync.WaitGroup
			asked.Go(func() { v.names.run(asking) })
			defer asked.Wait()
			defer end()
		}
		summary, err = watching(ctx)
		return err
	})
	if errors.Is(err, live.ErrQuit) {
		err = nil
		if v.goal {
			err = term.ErrInterrupted
		}
	}
	return summary, err
}

func (v *view) change(c watch.Change) {
	v.mu.Lock()
	if len(v.ids) <= fewSubjects {
		v.ids[c.ID] = true
		v.last = append(v.last[max(0, len(v.last)-lastChanges+1):], c)
	}
	v.mu.Unlock()
	v.live.Put(live.Row{
		ID: c.ID, Name: c.Name, Status: v.kind.Status(c.Status), Since: c.Since, Why: c.Why(),
		Rank: v.rank(c), Working: c.Verdict == watch.Waiting && v.kind.Working(c.Status),
	})
	if v.names != nil {
		v.names.met(c.ID, c.Name)
	}
}

// rank puts first who needs a person, then what ended badly, then what is under way, and last what is done.
func (v *view) rank(c watch.Change) int {
	switch {
	case c.Verdict == watch.Reached:
		return 3
	case c.Verdict == watch.Badly:
		return 1
	case v.kind.NeedsPerson(c.Status):
		return 0
	case v.kind.Working(c.Status):
		return 2
	}
	return 3
}

func (v *view) condition(err error) {
	if err != nil {
		err = errors.New(deps.Reason(err))
	}
	v.live.Condition(err)
}

func (v *view) note(text string) { v.live.Note(text) }

// few are the last changes, in order; none when there were many subjects.
func (v *view) few() []watch.Change {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.ids) > fewSubjects {
		return nil
	}
	return v.last
}
