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

// fewEnough is how many subjects are told of by a line each when the live view has ended.
const fewEnough = 10

// A view shows a watch in a live view.
type view struct {
	deps *deps.Deps
	kind Kind
	goal bool // something is waited for
	live *live.View

	mu   sync.Mutex
	last map[string]watch.Change // of each, while they are few enough
	ids  []string                // in the order in which they were met
}

func newView(d *deps.Deps, o *Options, kind Kind) *view {
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	return &view{deps: d, kind: kind, goal: len(o.until) > 0, last: map[string]watch.Change{}, live: live.New(live.Config{
		Streams: d.Streams, Title: title, Noun: kind.Subjects, Header: strings.ToUpper(kind.Subject),
		Details: kind.Details, Now: d.Now,
	})}
}

// run runs a watch beneath the view. Who closes the view while something is waited for has interrupted the watch.
func (v *view) run(ctx context.Context, watching func(context.Context) (watch.Summary, error)) (summary watch.Summary, err error) {
	err = v.live.Run(ctx, func(ctx context.Context) (err error) {
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
	if _, met := v.last[c.ID]; !met && len(v.ids) <= fewEnough {
		v.ids = append(v.ids, c.ID)
	}
	if len(v.ids) <= fewEnough {
		v.last[c.ID] = c
	}
	v.mu.Unlock()
	v.live.Put(live.Row{
		ID: c.ID, Name: c.Name, Status: v.kind.Status(c.Status), Since: c.Since, Why: c.Why(),
		Rank: v.rank(c), Working: c.Verdict == watch.Waiting && v.kind.Working(c.Status),
	})
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

func (v *view) condition(err error) { v.live.Condition(err) }

func (v *view) note(text string) { v.live.Note(text) }

// few are the last changes of all subjects; none when there are many.
func (v *view) few() (changes []watch.Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.ids) > fewEnough {
		return nil
	}
	for _, id := range v.ids {
		changes = append(changes, v.last[id])
	}
	return changes
}
