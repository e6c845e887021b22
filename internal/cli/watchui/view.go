package watchui

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// The last changes are printed when the live view has been closed, so that they stay on the terminal. Of more
// subjects than these they would not show the end.
const (
	mostLeftSubjects = 10
	mostLeftChanges  = 50
)

// A view shows a watch in the live view.
type view struct {
	releaseKeys func() error
	kind        Kind
	hasGoal     bool
	live        *live.View
	names       *names // nil: no names are read

	mu   sync.Mutex
	ids  map[string]bool // the subjects of last, as long as they are not too many
	last []follow.Change
}

// newView returns nil if there is no keyboard to close the view with.
func newView(d *cmdutil.Deps, o *Options, kind Kind) *view {
	keys, release, err := live.Keyboard(d.Streams)
	if err != nil {
		return nil
	}
	title := kind.Title
	if len(o.until) > 0 {
		title += ", until " + strings.Join(o.until, " or ")
	}
	v := &view{
		releaseKeys: release, kind: kind, hasGoal: len(o.until) > 0, ids: map[string]bool{},
		live: live.New(live.Config{
			Streams: d.Streams, Keys: keys, Title: title, Noun: kind.Nouns, Header: strings.ToUpper(kind.Noun),
			Details: kind.Details, Now: d.Now, Environ: os.Environ(),
		}),
	}
	if o.All && kind.Name != nil {
		v.names = newNames(kind.Name, v.live.SetName)
	}
	return v
}

// run runs a watch under the view. Closing the view interrupts a watch that has a goal, or has not read its list yet, and ends
// any other.
func (v *view) run(
	ctx context.Context, watch func(context.Context) (follow.Summary, error),
) (summary follow.Summary, err error) {
	err = v.live.Run(ctx, func(ctx context.Context) (err error) {
		if v.names != nil {
			reading, stop := context.WithCancel(ctx)
			var reader sync.WaitGroup
			reader.Go(func() { v.names.run(reading) })
			defer reader.Wait()
			defer stop()
		}
		summary, err = watch(ctx)
		return err
	})
	if errors.Is(err, live.ErrQuit) {
		err = nil
		if v.hasGoal || summary.Unlisted {
			err = ui.ErrInterrupted
		}
	}
	return summary, err
}

func (v *view) change(c follow.Change) {
	v.mu.Lock()
	if len(v.ids) <= mostLeftSubjects {
		v.ids[c.ID] = true
		v.last = append(v.last[max(0, len(v.last)-mostLeftChanges+1):], c)
	}
	v.mu.Unlock()
	v.live.Put(live.Row{
		ID: c.ID, Name: c.Name, Status: v.kind.Status(c.Status), Since: c.Since, Why: c.Why(),
		Rank: v.rank(c), Working: c.Verdict == follow.Waiting && v.kind.Working(c.Status),
	})
	if v.names != nil {
		v.names.add(c.ID, c.Name)
	}
}

// rank orders the rows: first those that need a person, then failures, then those that the service works on, then the
// rest.
func (v *view) rank(c follow.Change) int {
	switch {
	case c.Verdict == follow.Reached:
		return 3
	case c.Verdict == follow.Failed:
		return 1
	case v.kind.NeedsPerson(c.Status):
		return 0
	case v.kind.Working(c.Status):
		return 2
	}
	return 3
}

// setTrouble shows that the service does not answer; nil, that it answers again.
func (v *view) setTrouble(err error) {
	if err != nil {
		err = errors.New(cmdutil.Reason(err))
	}
	v.live.SetTrouble(err)
}

// lastChanges returns what is printed after the view has been closed: nothing if there were many subjects.
func (v *view) lastChanges() []follow.Change {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.ids) > mostLeftSubjects {
		return nil
	}
	return v.last
}
